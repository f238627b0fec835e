"""The one table of modules that user code may import, and what each of them offers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offer:
    """Of one module: `only` these names, or all public ones `without` some."""

    only: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()


def _only(names: str) -> Offer:
    return Offer(only=frozenset(names.split()))


def _without(names: str) -> Offer:
    return Offer(without=frozenset(names.split()))


_EVERYTHING = Offer()

# What is left out, and why:
#   annotations given as text are evaluated by get_type_hints, ForwardRef and singledispatch;
#   get_origin and Type lead to the three-argument `type`, as do the metaclasses;
#   attrgetter, methodcaller, Formatter and update_wrapper read or write attributes by name;
#   pprint's PrettyPrinter hands out what it prints to;
#   make_dataclass, a Field made by hand and enum's functional interface define names that
#   nobody has checked;
#   uuid1 and getnode start programs; SystemRandom, tempfile and streams reach the system.
IMPORTABLE: dict[str, Offer] = {
    "abc": _only("ABC abstractmethod"),
    "array": _only("array typecodes"),
    "base64": _without("decode encode main"),
    "binascii": _EVERYTHING,
    "bisect": _EVERYTHING,
    "calendar": _without("LocaleTextCalendar LocaleHTMLCalendar"),
    "cmath": _EVERYTHING,
    "collections": _EVERYTHING,
    "collections.abc": _EVERYTHING,
    "contextlib": _only(
        "contextmanager closing suppress nullcontext ExitStack ContextDecorator "
        "AbstractContextManager"
    ),
    "copy": _only("copy deepcopy Error"),
    "csv": _without("field_size_limit"),
    "dataclasses": _only(
        "dataclass field fields asdict astuple replace is_dataclass KW_ONLY InitVar MISSING "
        "FrozenInstanceError"
    ),
    "datetime": _EVERYTHING,
    "decimal": _EVERYTHING,
    "difflib": _EVERYTHING,
    "enum": _only("Enum IntEnum StrEnum Flag IntFlag auto unique"),
    "fractions": _EVERYTHING,
    "functools": _without(
        "update_wrapper WRAPPER_ASSIGNMENTS WRAPPER_UPDATES singledispatchmethod"
    ),
    "graphlib": _EVERYTHING,
    "hashlib": _without("file_digest"),
    "heapq": _EVERYTHING,
    "html": _only("escape unescape"),
    "io": _only("StringIO BytesIO"),
    "itertools": _EVERYTHING,
    "json": _without("load dump"),
    "math": _EVERYTHING,
    "numbers": _EVERYTHING,
    "operator": _without("attrgetter methodcaller"),
    "pprint": _only("pformat saferepr isreadable isrecursive"),
    "random": _without("SystemRandom"),
    "re": _EVERYTHING,
    "statistics": _EVERYTHING,
    "string": _without("Formatter"),
    "struct": _EVERYTHING,
    "textwrap": _EVERYTHING,
    "time": _only(
        "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time "
        "process_time_ns sleep gmtime localtime mktime strftime strptime asctime ctime "
        "struct_time"
    ),
    "types": _only("SimpleNamespace MappingProxyType NoneType EllipsisType NotImplementedType"),
    "typing": _without("get_type_hints ForwardRef Type no_type_check no_type_check_decorator"),
    "unicodedata": _without("ucd_3_2_0"),
    "uuid": _only(
        "UUID uuid3 uuid4 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500"
    ),
    "zlib": _EVERYTHING,
}


def is_importable(name: str) -> bool:
    """Whether `import name` works in user code."""
    return name in IMPORTABLE or name == "__future__"
