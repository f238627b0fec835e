"""What user code gets in place of parts of the standard library that would leak."""
