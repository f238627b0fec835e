# A codec's name is a module's name; the module is searched for.
# stopped by: import
# ends: refused
reached("x".encode("os"))
