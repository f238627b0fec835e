# The interpreter through a codec.
# stopped by: import
# ends: refused
reached('import os'.encode('rot13x'))
