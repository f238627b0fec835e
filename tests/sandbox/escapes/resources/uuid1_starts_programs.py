# Starting programs through uuid.
# stopped by: import
# ends: refused
import uuid
reached(uuid.getnode())
