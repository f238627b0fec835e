# A reference that was made by the way, and its private method.
# stopped by: guard
# ends: refused
import typing

(reference,) = typing.get_args(typing.List["reached(1)"])
reached(reference._evaluate({}, {}, frozenset()))
