# What a printer prints to.
# stopped by: import
# ends: refused
import pprint
class P(pprint.PrettyPrinter):
    def g(self): return self._stream
reached(P().g())
