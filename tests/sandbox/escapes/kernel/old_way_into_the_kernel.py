# System calls of another processor's numbering.
# stopped by: kernel
# ends: refused
reached() if attempt(lambda: system_call(0x40000000 | 2, b"/etc/passwd", 0)) == "allowed" else None
raise LookupError
