"""The names that the policy knows: which may be defined, read, written; which never, and why."""

from __future__ import annotations

import functools
import re

from RestrictedPython.transformer import INSPECT_ATTRIBUTES

# Names that the rewritten code itself relies on.
RESERVED = re.compile(r"_[a-z][a-z_]*_")

# Frames, code objects and generators' insides: never, on whatever object.
FORBIDDEN_ATTRIBUTES = frozenset(INSPECT_ATTRIBUTES) | {"tb_lasti", "ag_running"}

# Public, but what they lead to depends on the object, so a guard looks at run time: `str.format`
# reads attributes by name; `AttributeError.obj` hands out internals of modules; `mro` leads to
# classes behind ours.
GUARDED_ATTRIBUTES = frozenset({"format", "format_map", "obj", "mro"})

_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or".split()
_OPERATORS = frozenset(
    f"__{prefix}{name}__"
    for prefix in ("", "r", "i")
    for name in _BINARY
    if (prefix, name) != ("i", "divmod")
) | frozenset("__neg__ __pos__ __abs__ __invert__".split())

# Methods that Python's syntax and builtins call anyway: to define and to call them is harmless.
_PROTOCOLS = frozenset(
    """
    __post_init__ __repr__ __str__ __bytes__ __format__ __lt__ __le__ __eq__ __ne__ __gt__ __ge__
    __hash__ __bool__ __call__ __len__ __length_hint__ __getitem__ __setitem__ __delitem__
    __missing__ __iter__ __next__ __reversed__ __contains__ __enter__ __exit__ __aiter__ __anext__
    __aenter__ __aexit__ __await__ __complex__ __int__ __float__ __index__ __round__ __trunc__
    __floor__ __ceil__ __set_name__ __init_subclass__ __class_getitem__ __copy__ __deepcopy__
    __instancecheck__ __subclasscheck__ __subclasshook__ __prepare__ __dir__ __sizeof__
    __fspath__ __mro_entries__ __getnewargs__ __getnewargs_ex__ __buffer__ __release_buffer__
    """.split()
)

DEFINABLE_DUNDERS = (
    _OPERATORS
    | _PROTOCOLS
    | frozenset(
        """
        __init__ __new__ __getattr__ __getattribute__ __setattr__ __delattr__ __get__ __set__
        __delete__ __slots__ __match_args__ __doc__ __getstate__ __setstate__
        """.split()
    )
)
# What the compiler puts into a class body's namespace, in one release of Python or another.
OF_THE_COMPILER = frozenset(
    """
    __module__ __qualname__ __annotations__ __classcell__ __type_params__ __firstlineno__
    __static_attributes__ __annotate__ __annotate_func__ __classdictcell__
    __conditional_annotations__
    """.split()
)
# What enum gives a meaning to, in a class body.
ENUM_HOOKS = frozenset({"_generate_next_value_", "_missing_", "_order_", "_ignore_"})

# Names of a module that nothing but its readers read.
MODULE_DUNDERS = frozenset(
    """
    __all__ __doc__ __version__ __author__ __authors__ __date__ __license__ __copyright__
    __credits__ __email__ __status__ __maintainer__ __title__ __description__ __test__
    """.split()
)

# Loaded natively from whatever object: their values lead nowhere.
READABLE_DUNDERS = (
    _OPERATORS
    | _PROTOCOLS
    | frozenset(
        """
        __name__ __qualname__ __module__ __doc__ __notes__ __cause__ __context__ __traceback__
        __suppress_context__ __slots__ __match_args__ __wrapped__ __debug__
        __isabstractmethod__ __abstractmethods__ __dataclass_params__
        __required_keys__ __optional_keys__ __total__ __metadata__ __bound__ __constraints__
        __covariant__ __contravariant__ __version__ __author__ __deprecated__ __override__
        __readonly_keys__ __mutable_keys__
        __weakref__ __itemsize__ __basicsize__ __forward_arg__ __supertype__ __text_signature__
        """.split()
    )
)

# Readable where a guard finds that the object allows it; see attributes.py.
GUARDED_DUNDERS = frozenset(
    """
    __class__ __dict__ __bases__ __base__ __mro__ __subclasses__ __annotations__ __defaults__
    __kwdefaults__ __code__ __self__ __func__ __origin__ __args__ __parameters__ __orig_bases__
    __orig_class__ __init__ __new__ __get__ __set__ __delete__ __setattr__ __delattr__
    __getattribute__ __getattr__ __getstate__ __setstate__ __members__ __dataclass_fields__
    """.split()
)

# Of one's own functions, classes, instances and exceptions; a guard looks at object and value.
WRITABLE_DUNDERS = DEFINABLE_DUNDERS | frozenset(
    """
    __name__ __qualname__ __module__ __dict__ __class__ __wrapped__ __annotations__ __defaults__
    __kwdefaults__ __cause__ __context__ __suppress_context__ __traceback__ __notes__
    __isabstractmethod__
    """.split()
)

_INSIDES = "it leads to the insides of the interpreter"
_COPYING = (
    "it makes the library set attributes by name; define __copy__, __deepcopy__ or __getstate__"
)
# Why a name with two underscores is refused, and what to do instead.
REFUSED_DUNDERS = {
    "__globals__": f"{_INSIDES}; globals() gives your module's names",
    "__builtins__": f"{_INSIDES}; use the builtins by their names",
    "__code__": f"{_INSIDES}; f.__name__ and f.__doc__ tell of a function",
    "__closure__": f"{_INSIDES}; pass the value itself",
    "__loader__": _INSIDES,
    "__spec__": _INSIDES,
    "__file__": "programs reach no files; io.StringIO and io.BytesIO are files in memory",
    "__path__": "programs reach no files; io.StringIO and io.BytesIO are files in memory",
    "__reduce__": _COPYING,
    "__reduce_ex__": _COPYING,
    "__del__": "it would run at any time, also in our code; use `with` and __exit__",
    "__import__": "use an import statement",
    "__build_class__": "use a class statement, or type(name, bases, namespace)",
    "__annotations__": "annotate names as usual: `name: type`",
    "__signature__": "inspect.signature reads the real one",
    "__class__": "assign `object.__class__`, or define another class",
}

# Present in the globals of user functions, so that they can be told from others.
MARK = "__written_here__"

# All others that the interpreter or its library knows. What nobody knows, a program may use.
_OTHER_DUNDERS = frozenset(
    """
    __FRAME_END__ __GNUC__ __PRETTY_FUNCTION__ __PYVENV_LAUNCHER__ __TMC_END__ __UNDEF__
    __VENV_BIN_NAME__ __VENV_DIR__ __VENV_NAME__ __VENV_PROMPT__ __VENV_PYTHON__
    __abc_tpflags__ __about__ __adapt__ __alloc__ __asyncio_running_event_loop__
    __breakpointhook__ __builtin__ __cached__ __callback__ __cantrace__ __classcell__
    __concat__ __conform__ __console__ __create_fn__ __ctype_be__ __ctype_le__
    __ctypes_from_outparam__ __dataclass_builtins_object__ __dataclass_self__
    __dataclass_transform__ __dealloc__ __dictoffset__ __displayhook__ __docformat__ __dunder__
    __excepthook__ __exception__ __final__ __flags__ __forward_code__ __forward_evaluated__
    __forward_is_argument__ __forward_is_class__ __forward_module__ __forward_value__
    __future__ __getformat__ __getinitargs__ __getitem_inner__ __getslice__ __gmon_start__
    __hello__ __hello_alias__ __hello_only__ __iconcat__ __initializing__ __inst__
    __instancehook__ __interactivehook__ __inv__ __issubclass__ __libmpdec_version__
    __lltrace__ __main__ __mp_main__ __new_member__ __newobj__ __newobj_ex__ __no_type_check__
    __not__ __objclass__ __op__ __order__ __origname__ __package__ __phello__ __phello_alias__
    __pycache__ __return__ __rop__ __safe_for_unpickling__ __self_class__ __setslice__
    __slotnames__ __slotsname__ __stderr__ __stdin__ __stdout__ __temp__ __thisclass__
    __tp_del__ __typing_is_unpacked_typevartuple__ __typing_prepare_subst__ __typing_subst__
    __typing_unpacked_tuple_args__ __unittest_expecting_failure__ __unittest_skip__
    __unittest_skip_why__ __unpacked__ __unraisablehook__ __validate_parameters__
    __vectorcalloffset__ __warningregistry__ __weaklistoffset__ __weakrefoffset__ __xname__
    __annotate__ __annotate_func__ __annotations_cache__ __arg__ __ast_node__
    __callable_proto_members_only__ __cell__ __classdict__ __classdictcell__
    __conditional_annotations__ __dataclass_HAS_DEFAULT_FACTORY__ __dataclass_return_type__
    __default__ __dictrefoffset__ __extra_names__ __firstlineno__ __forward__
    __generated_by_dataclasses__ __non_callable_proto_members__ __open_rb__ __open_wb__ __owner__
    __partialmethod__ __pdb_eval__ __pointer_type__ __protocol_attrs__ __replace__
    __resolved_str__ __resolved_str_cache__ __static_attributes__ __stringifier_dict__
    __type_params__ __value__
    """.split()
)
_DUNDERS = (
    DEFINABLE_DUNDERS
    | READABLE_DUNDERS
    | GUARDED_DUNDERS
    | WRITABLE_DUNDERS
    | MODULE_DUNDERS
    | REFUSED_DUNDERS.keys()
    | _OTHER_DUNDERS
    | {MARK}
)

# Private by spelling, public by documentation: of named tuples, abstract sets, syntax trees.
DOCUMENTED_PRIVATES = frozenset(
    "_replace _asdict _fields _make _field_defaults _hash _from_iterable _attributes".split()
)

# Builtins that can't be offered, each with what to do instead.
UNAVAILABLE = {
    "compile": "eval(text) and exec(text) run text; or write the code out",
    "__import__": "use an import statement",
    "open": "programs reach no files; pass the content as an argument, or use io.StringIO",
    "breakpoint": "use print(...) to see values",
    "help": "use print(...) to see values",
    "copyright": "use print(...) to see values",
    "credits": "use print(...) to see values",
    "license": "use print(...) to see values",
}


def is_dunder(name: str) -> bool:
    """Whether it has two underscores at both ends, and a meaning to Python or to us."""
    return name in _DUNDERS


@functools.lru_cache
def is_private_clash(name: str) -> bool:
    """Whether a name of user code could take the place of one of ours, or of Python's."""
    return name in _DUNDERS or RESERVED.fullmatch(name) is not None


def is_matchable(name: str) -> bool:
    """Whether a pattern may read an attribute of whatever its class says is an instance."""
    return not name.startswith("_") and name not in FORBIDDEN_ATTRIBUTES | GUARDED_ATTRIBUTES


def refusal(name: str, what: str = "attribute") -> str:
    """Why an attribute or a definition by that name is refused, in a sentence."""
    if name in FORBIDDEN_ATTRIBUTES:
        return f"the {what} `{name}` is out of reach here: {_INSIDES}; keep what you need in names"
    why = REFUSED_DUNDERS.get(name)
    if why:
        return f"the {what} `{name}` is out of reach here: {why}"
    if is_dunder(name):
        return (
            f"the {what} `{name}` is out of reach here: names with two underscores at both ends "
            "are Python's own; choose one without them"
        )
    return f"the {what} `{name}` is out of reach here: choose another name"
