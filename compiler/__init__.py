"""core.Instance → code that plays millions of matches: lowered to a small imperative language, printed as WebAssembly or Python."""
