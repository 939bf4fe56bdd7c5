"""All deals, all moves, all that fate may do: small tables gone through by the interpreter alone."""
