# Typing's closed classes open to a subclass that says `_root=True`: text that is evaluated.
# stopped by: guard
# ends: refused
import typing

Reference = type(typing.get_args(typing.List["x"])[0])


class Mine(Reference, _root=True):
    pass


Mine("reached(__import__('sys')) or int")._evaluate({"reached": reached}, {}, frozenset())
