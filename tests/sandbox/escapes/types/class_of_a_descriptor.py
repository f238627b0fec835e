# The class that a method of a metaclass belongs to is the one that makes classes.
# stopped by: policy
# ends: refused
from abc import ABCMeta
reached(ABCMeta.__call__.__objclass__('X', (), {}))
