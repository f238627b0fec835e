"""The names that the policy knows: which may be defined, read, imported, and which never."""

from __future__ import annotations

import re

from RestrictedPython.transformer import INSPECT_ATTRIBUTES

# Names that the rewritten code itself relies on, and everything with two underscores.
RESERVED = re.compile(r"_[a-z_]+_|__.*")

# Frames, code objects and generators' insides: never, on whatever object.
FORBIDDEN_ATTRIBUTES = frozenset(INSPECT_ATTRIBUTES) | {"tb_lasti", "ag_running"}

# Whether these are safe depends on the object, so they are looked up by a guard at run time:
# `str.format` reads attributes by name; `AttributeError.obj` hands out internals of modules;
# `__init__` of a class sets attributes of others' objects; `mro` leads to classes behind ours.
GUARDED_ATTRIBUTES = frozenset({"format", "format_map", "obj", "__init__", "mro"})

DEFINABLE_DUNDERS = frozenset(
    """
    __init__ __new__ __post_init__ __repr__ __str__ __bytes__ __format__ __lt__ __le__ __eq__
    __ne__ __gt__ __ge__ __hash__ __bool__ __call__ __len__ __length_hint__ __getitem__
    __setitem__ __delitem__ __missing__ __iter__ __next__ __reversed__ __contains__ __enter__
    __exit__ __add__ __sub__ __mul__ __matmul__ __truediv__ __floordiv__ __mod__ __divmod__
    __pow__ __lshift__ __rshift__ __and__ __xor__ __or__ __radd__ __rsub__ __rmul__ __rmatmul__
    __rtruediv__ __rfloordiv__ __rmod__ __rdivmod__ __rpow__ __rlshift__ __rrshift__ __rand__
    __rxor__ __ror__ __iadd__ __isub__ __imul__ __imatmul__ __itruediv__ __ifloordiv__ __imod__
    __ipow__ __ilshift__ __irshift__ __iand__ __ixor__ __ior__ __neg__ __pos__ __abs__
    __invert__ __complex__ __int__ __float__ __index__ __round__ __trunc__ __floor__ __ceil__
    __getattr__ __get__ __set__ __set_name__ __init_subclass__ __class_getitem__ __copy__
    __deepcopy__
    """.split()
)
# What enum gives a meaning to, in a class body.
ENUM_HOOKS = frozenset({"_generate_next_value_", "_missing_", "_order_", "_ignore_"})

READABLE_DUNDERS = frozenset(
    """
    __init__ __new__ __post_init__ __repr__ __str__ __format__ __eq__ __ne__ __lt__ __le__
    __gt__ __ge__ __hash__ __bool__ __len__ __iter__ __next__ __getitem__ __setitem__
    __delitem__ __missing__ __contains__ __enter__ __exit__ __call__ __add__ __sub__ __mul__
    __truediv__ __floordiv__ __mod__ __pow__ __and__ __or__ __xor__ __neg__ __abs__ __int__
    __float__ __index__ __name__ __qualname__ __doc__ __init_subclass__ __notes__ __cause__
    __context__ __copy__ __deepcopy__ __members__
    """.split()
)

# Of a named tuple: private by spelling, public by documentation.
NAMED_TUPLE_ATTRIBUTES = frozenset({"_replace", "_asdict", "_fields", "_make", "_field_defaults"})

# Builtins that can't be offered, each with what to do instead.
UNAVAILABLE = {
    "exec": "write the code out, or pass functions around",
    "eval": "write the expression out; json.loads reads plain values",
    "compile": "write the code out",
    "__import__": "use an import statement",
    "open": "programs reach no files; pass the content as an argument, or use io.StringIO",
    "input": "nobody is there to type; pass the values as arguments",
    "globals": "name what you need",
    "locals": "name what you need",
    "breakpoint": "use log(...) to see values",
    "help": "use log(...) to see values",
    "exit": "return from the function, or raise an exception",
    "quit": "return from the function, or raise an exception",
}


def is_private_clash(name: str) -> bool:
    """Whether a name of user code could take the place of one of ours."""
    return RESERVED.fullmatch(name) is not None
