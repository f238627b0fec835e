# An attribute that copying asks for.
# stopped by: guard
# ends: refused
import copy
from types import SimpleNamespace as N
how = {'__reduce_ex__': lambda p: (lambda: check, (), (None, {'__kwdefaults__': {}}))}
reached(copy.deepcopy(N(**how)))
