# The metaclass of abstract classes.
# stopped by: guard
# ends: refused
from abc import ABCMeta
reached(ABCMeta('X', (), {'__reduce__': reached}))
