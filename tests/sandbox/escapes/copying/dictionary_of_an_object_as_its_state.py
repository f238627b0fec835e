# The attributes of an object of the library, in place.
# stopped by: guard
# ends: refused
import logging

reached(logging.getLogger().__getstate__())
