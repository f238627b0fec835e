# A proxy joined in place makes a new mapping.
# stopped by: guard
# ends: refused
from types import MappingProxyType

inner = {}
proxy = MappingProxyType(inner)
import operator

operator.setitem(proxy, "x", 1)
reached(inner)
