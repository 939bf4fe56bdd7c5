"""What Python programs use of domrules; everything here is also a name of `domrules` itself."""
