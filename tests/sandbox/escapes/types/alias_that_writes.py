# An alias of typing hands on what is written to it: to any class, if one may choose the origin.
# stopped by: guard
# ends: refused
import json
import typing


class Alias(type(typing.List[int]), _root=True):
    pass


Alias(json.JSONEncoder, ()).iterencode = lambda self, value, _one_shot=False: ["forged"]
reached(json.JSONEncoder)
