# A constant of the library, given another value by what copying calls.
# stopped by: guard
# ends: refused
import uuid

uuid.NAMESPACE_DNS.__setstate__({"int": 1, "is_safe": None})
reached(uuid.NAMESPACE_DNS)
