# Enum's functional interface of a subclass.
# stopped by: guard
# ends: refused
import enum
class E(enum.Enum): pass
reached(E('F', '_getattr_'))
