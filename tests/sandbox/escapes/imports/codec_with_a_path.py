# And that name could be a path.
# stopped by: import
# ends: refused
reached(b"x".decode("../../os"))
