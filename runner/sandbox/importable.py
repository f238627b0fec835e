"""The one table of modules: what user code may import of each, and why not the others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Offer:
    """Of one module: `only` these names, or all public ones `without` some.

    `ours` are offered in a version of our own, `refused` are not and say why.
    """

    only: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    ours: frozenset[str] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict)
    # Whether there is anything of the original.
    original: bool = True


def _all(*, without: str = "", ours: str = "", **refused: str) -> Offer:
    return Offer(frozenset(), frozenset({*without.split(), *refused}), _set(ours), refused)


def _only(names: str, *, ours: str = "", **refused: str) -> Offer:
    return Offer(_set(names), frozenset(refused), _set(ours), refused)


def _ours(names: str, **refused: str) -> Offer:
    """A module none of which is the original's."""
    return Offer(ours=_set(names), refused=refused, original=False)


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


# A stream beneath keeps the memory that it is given to read into, beyond the buffer's own life.
_OF_FREED_MEMORY = "it lends memory that it frees; io.BytesIO is a file in memory"
_NO_THREADS = "a program has one thread; call the function, or use asyncio"
_ONE_AFTER_ANOTHER = "threads run one after another here; asyncio has what waits for others"
_NO_FILES = "programs reach no files; pass the content as an argument, or use io.StringIO"
_NO_NETWORK = "programs reach no network; pass the data as an argument"
_NO_PROCESSES = "a program is one process and starts no other"
_NO_INSIDES = "the insides of the interpreter are out of reach"
_OUR_HEAP = "how its memory is kept isn't the program's to change; gc.collect() works"
_NO_SYSTEM = "programs don't reach the system that they run on"
_NO_RANDOMNESS = "needs the system's randomness; use random, seeded per program"
_NO_PICKLE = "what it reads could run anything; use json, or copy.deepcopy"
_PLAIN_TESTS = "write functions named test_..., plain asserts, or a unittest.TestCase"
_ONLY_STANDARD = "there is only the standard library"
_NO_TERMINAL = "there is no terminal; print(...) goes to the log"

IMPORTABLE: dict[str, Offer] = {
    "abc": _only(
        "ABC abstractmethod abstractproperty abstractclassmethod abstractstaticmethod",
        ours="ABCMeta",
    ),
    "argparse": _ours(
        "ArgumentParser ArgumentError ArgumentTypeError BooleanOptionalAction HelpFormatter "
        "ArgumentDefaultsHelpFormatter RawDescriptionHelpFormatter RawTextHelpFormatter "
        "MetavarTypeHelpFormatter Namespace Action ONE_OR_MORE OPTIONAL PARSER REMAINDER SUPPRESS "
        "ZERO_OR_MORE",
        FileType=_NO_FILES,
    ),
    "array": _only("array typecodes ArrayType"),
    "ast": _all(
        ours="copy_location fix_missing_locations increment_lineno get_docstring",
        without="main get_source_segment contextmanager nullcontext IntEnum auto PyCF_ONLY_AST "
        "PyCF_TYPE_COMMENTS PyCF_ALLOW_TOP_LEVEL_AWAIT Num Str Bytes NameConstant Ellipsis",
    ),
    "asyncio": _only(
        "FIRST_COMPLETED FIRST_EXCEPTION ALL_COMPLETED CancelledError TimeoutError "
        "InvalidStateError QueueEmpty QueueFull BrokenBarrierError IncompleteReadError "
        "Future Task Event Lock Semaphore BoundedSemaphore Condition Barrier Queue PriorityQueue "
        "LifoQueue TaskGroup Timeout timeout timeout_at gather wait wait_for as_completed shield "
        "sleep create_task ensure_future current_task all_tasks iscoroutine iscoroutinefunction "
        "isfuture wrap_future Handle TimerHandle AbstractEventLoop get_running_loop",
        ours="run Runner get_event_loop new_event_loop set_event_loop",
        to_thread=_NO_THREADS,
        run_coroutine_threadsafe=_NO_THREADS,
        open_connection=_NO_NETWORK,
        start_server=_NO_NETWORK,
        create_subprocess_exec=_NO_PROCESSES,
        create_subprocess_shell=_NO_PROCESSES,
    ),
    "base64": _all(without="decode encode main"),
    "binascii": _all(),
    "bisect": _all(),
    "calendar": _all(without="LocaleTextCalendar LocaleHTMLCalendar"),
    "cmath": _all(),
    "codecs": _only(
        "encode decode BOM BOM_UTF8 BOM_UTF16 BOM_UTF16_BE BOM_UTF16_LE BOM_UTF32 BOM_UTF32_BE "
        "BOM_UTF32_LE getincrementaldecoder getincrementalencoder iterencode iterdecode",
        open=_NO_FILES,
    ),
    "collections": _all(ours="namedtuple"),
    "collections.abc": _all(),
    "colorsys": _all(),
    "concurrent": _ours(""),
    "concurrent.futures": _ours(
        "ThreadPoolExecutor ProcessPoolExecutor Executor Future as_completed wait FIRST_COMPLETED "
        "FIRST_EXCEPTION ALL_COMPLETED CancelledError InvalidStateError TimeoutError"
    ),
    "configparser": _all(),
    "contextlib": _only(
        "contextmanager asynccontextmanager closing aclosing suppress nullcontext ExitStack "
        "AsyncExitStack ContextDecorator AsyncContextDecorator AbstractContextManager "
        "AbstractAsyncContextManager",
        ours="redirect_stdout redirect_stderr",
        chdir=_NO_FILES,
    ),
    "contextvars": _all(),
    "copy": _only("copy deepcopy Error error"),
    "csv": _all(without="field_size_limit"),
    "dataclasses": _only(
        "field fields asdict astuple replace is_dataclass KW_ONLY InitVar MISSING Field "
        "FrozenInstanceError",
        ours="dataclass make_dataclass",
    ),
    "datetime": _all(),
    "decimal": _all(),
    "difflib": _all(),
    "doctest": _ours(
        "testmod run_docstring_examples TestResults DONT_ACCEPT_TRUE_FOR_1 DONT_ACCEPT_BLANKLINE "
        "NORMALIZE_WHITESPACE ELLIPSIS SKIP IGNORE_EXCEPTION_DETAIL REPORT_UDIFF REPORT_CDIFF "
        "REPORT_NDIFF REPORT_ONLY_FIRST_FAILURE FAIL_FAST",
        testfile=_NO_FILES,
    ),
    "enum": _only(
        "Enum IntEnum StrEnum ReprEnum Flag IntFlag auto unique verify property member nonmember "
        "EnumCheck CONTINUOUS NAMED_FLAGS UNIQUE FlagBoundary STRICT CONFORM EJECT KEEP",
        ours="EnumMeta EnumType",
    ),
    "errno": _all(),
    "fnmatch": _all(),
    "fractions": _all(),
    "functools": _all(
        without="WRAPPER_ASSIGNMENTS WRAPPER_UPDATES",
        ours="wraps update_wrapper total_ordering",
    ),
    "gc": _ours(
        "collect enable disable isenabled get_count",
        **dict.fromkeys(
            "get_objects get_referrers get_referents callbacks garbage is_tracked".split(),
            _NO_INSIDES,
        ),
        **dict.fromkeys("freeze unfreeze set_threshold get_threshold set_debug".split(), _OUR_HEAP),
    ),
    "getopt": _only("getopt gnu_getopt GetoptError error"),
    "graphlib": _all(),
    "hashlib": _all(file_digest=_NO_FILES),
    "heapq": _all(),
    "hmac": _only("HMAC new digest compare_digest"),
    "html": _only("escape unescape"),
    "html.entities": _all(),
    "html.parser": _all(),
    "http": _only("HTTPStatus HTTPMethod", client=_NO_NETWORK, server=_NO_NETWORK),
    "importlib": _ours(
        "import_module", **dict.fromkeys("machinery reload resources util".split(), _NO_INSIDES)
    ),
    "inspect": _only(
        "Parameter isclass isfunction ismethod isbuiltin isroutine isgenerator "
        "isgeneratorfunction iscoroutine iscoroutinefunction isawaitable isasyncgen "
        "isasyncgenfunction ismethoddescriptor isdatadescriptor isabstract cleandoc Signature "
        "BoundArguments "
        "getgeneratorstate getcoroutinestate GEN_CREATED GEN_RUNNING GEN_SUSPENDED GEN_CLOSED",
        ours="signature getfullargspec getdoc getmro getmembers",
        currentframe=_NO_INSIDES,
        stack=_NO_INSIDES,
        getsource="a program doesn't see its own text",
    ),
    "io": _only(
        "StringIO BytesIO TextIOWrapper IOBase "
        "RawIOBase BufferedIOBase TextIOBase UnsupportedOperation SEEK_SET SEEK_CUR SEEK_END "
        "DEFAULT_BUFFER_SIZE",
        BufferedReader=_OF_FREED_MEMORY,
        BufferedWriter=_OF_FREED_MEMORY,
        BufferedRandom=_OF_FREED_MEMORY,
        open=_NO_FILES,
        FileIO=_NO_FILES,
    ),
    "ipaddress": _all(),
    "itertools": _all(),
    "json": _all(),
    "json.decoder": _only("JSONDecodeError JSONDecoder"),
    "json.encoder": _only("JSONEncoder"),
    "keyword": _all(),
    "logging": _ours(
        "NOTSET DEBUG INFO WARNING WARN ERROR CRITICAL FATAL Logger Handler StreamHandler "
        "NullHandler Formatter Filter LogRecord LoggerAdapter BASIC_FORMAT root getLogger "
        "basicConfig debug info warning warn error exception critical fatal log disable "
        "getLevelName addLevelName",
        FileHandler=_NO_FILES,
        config="make handlers and loggers in the program: logging.basicConfig, addHandler",
        captureWarnings="warnings go to the log as they are; warnings.catch_warnings records them",
    ),
    "logging.handlers": _ours(
        "BufferingHandler MemoryHandler QueueHandler",
        QueueListener=_NO_THREADS,
        **dict.fromkeys(
            "RotatingFileHandler TimedRotatingFileHandler WatchedFileHandler".split(), _NO_FILES
        ),
        **dict.fromkeys(
            "SocketHandler DatagramHandler HTTPHandler SMTPHandler SysLogHandler".split(),
            _NO_NETWORK,
        ),
    ),
    "math": _all(),
    "numbers": _all(),
    "operator": _all(ours="attrgetter methodcaller setitem delitem"),
    "os": _ours(
        "altsep cpu_count curdir environ extsep fspath getenv linesep name pardir pathsep sep "
        "urandom PathLike",
        **dict.fromkeys(
            "chdir getcwd listdir makedirs mkdir open remove rename rmdir scandir stat unlink "
            "walk".split(),
            _NO_FILES,
        ),
        **dict.fromkeys("abort execv fork kill popen spawnv system".split(), _NO_PROCESSES),
        **dict.fromkeys("getlogin getpid getuid uname".split(), _NO_SYSTEM),
    ),
    "os.path": _only(
        "altsep basename commonpath commonprefix curdir dirname extsep isabs join normcase "
        "normpath pardir pathsep sep split splitdrive splitext",
        **dict.fromkeys(
            "abspath exists expanduser expandvars getmtime getsize isdir isfile islink realpath "
            "relpath".split(),
            _NO_FILES,
        ),
    ),
    "pathlib": _only(
        "PurePath PurePosixPath PureWindowsPath",
        Path="programs reach no files; PurePosixPath works on names alone",
        PosixPath="programs reach no files; PurePosixPath works on names alone",
    ),
    "pprint": _only("pformat saferepr isreadable isrecursive", ours="pprint pp PrettyPrinter"),
    "queue": _ours("Queue LifoQueue PriorityQueue SimpleQueue Empty Full"),
    "random": _all(without="SystemRandom", ours="seed", SystemRandom=_NO_RANDOMNESS),
    "re": _all(),
    "reprlib": _all(ours="aRepr repr"),
    "sched": _all(),
    "secrets": _ours(
        "choice compare_digest randbelow randbits token_bytes token_hex token_urlsafe",
        SystemRandom=_NO_RANDOMNESS,
    ),
    "shlex": _only("split join quote"),
    "statistics": _all(),
    "string": _all(),
    "struct": _all(),
    "shutil": _ours(
        "get_terminal_size",
        **dict.fromkeys("copy copyfile copytree move rmtree which".split(), _NO_FILES),
    ),
    "sys": _ours(
        "argv byteorder copyright exc_info exception exit float_info float_repr_style "
        "getdefaultencoding getfilesystemencoding get_int_max_str_digits getrecursionlimit "
        "getrefcount getsizeof hash_info hexversion implementation int_info intern maxsize "
        "maxunicode platform set_int_max_str_digits setrecursionlimit stderr stdin stdout "
        "version version_info",
        modules=_NO_INSIDES,
        settrace=_NO_INSIDES,
        setprofile=_NO_INSIDES,
        path="all modules that there are can be imported as they are",
    ),
    "textwrap": _all(),
    "threading": _ours(
        "Thread Timer Lock RLock Condition Event Semaphore BoundedSemaphore local current_thread "
        "main_thread get_ident active_count enumerate",
        Barrier=_ONE_AFTER_ANOTHER,
        excepthook=_ONE_AFTER_ANOTHER,
    ),
    "time": _only(
        "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time "
        "process_time_ns thread_time gmtime localtime mktime strftime strptime asctime "
        "ctime struct_time timezone altzone daylight tzname",
        ours="sleep",
    ),
    "timeit": _ours("default_timer timeit repeat Timer"),
    "token": _all(),
    "tokenize": _only(
        "generate_tokens TokenError TokenInfo COMMENT DEDENT ENCODING ENDMARKER ERRORTOKEN INDENT "
        "NAME NEWLINE NL NUMBER OP STRING tok_name",
        open=_NO_FILES,
    ),
    "tomllib": _only("loads TOMLDecodeError", load=_NO_FILES),
    "traceback": _ours(
        "format_exc print_exc format_exception print_exception format_exception_only "
        "format_tb print_tb extract_tb",
        extract_stack=_NO_INSIDES,
        walk_tb=_NO_INSIDES,
    ),
    "types": _only(
        "AsyncGeneratorType BuiltinFunctionType BuiltinMethodType CoroutineType EllipsisType "
        "FunctionType GeneratorType GenericAlias LambdaType MappingProxyType MethodType NoneType "
        "NotImplementedType TracebackType UnionType DynamicClassAttribute",
        ours="SimpleNamespace ModuleType coroutine",
        CodeType=_NO_INSIDES,
        FrameType=_NO_INSIDES,
        new_class="write a class statement",
    ),
    "typing": _all(
        without="ForwardRef no_type_check_decorator",
        ours="get_origin get_type_hints NamedTuple Type no_type_check",
    ),
    "unicodedata": _all(without="ucd_3_2_0"),
    "unittest": _ours(
        "TestCase IsolatedAsyncioTestCase TestSuite TestLoader TestResult TextTestResult "
        "TextTestRunner SkipTest skip skipIf skipUnless expectedFailure makeSuite main "
        "defaultTestLoader",
        mock="it changes what others rely on; pass a function or an object of your own",
    ),
    "urllib": _ours("", request=_NO_NETWORK, error=_NO_NETWORK),
    "urllib.parse": _all(),
    "uuid": _only(
        "UUID SafeUUID uuid3 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500 "
        "RESERVED_NCS RFC_4122 RESERVED_MICROSOFT RESERVED_FUTURE",
        ours="uuid1 uuid4",
        getnode=_NO_SYSTEM,
    ),
    "warnings": _ours(
        "warn simplefilter filterwarnings resetwarnings catch_warnings WarningMessage"
    ),
    "weakref": _only(
        "ref proxy ReferenceType ProxyType CallableProxyType getweakrefcount getweakrefs "
        "WeakKeyDictionary WeakValueDictionary WeakSet WeakMethod",
        ours="finalize",
    ),
    "zlib": _all(),
    "zoneinfo": _only("ZoneInfo ZoneInfoNotFoundError", ours="available_timezones"),
}

_REFUSED: tuple[tuple[str, str], ...] = (
    ("tempfile glob fileinput filecmp linecache mmap", _NO_FILES),
    ("posixpath ntpath", "os.path and pathlib.PurePosixPath work on names alone"),
    ("zipfile tarfile gzip bz2 lzma", "programs reach no files; zlib compresses bytes"),
    ("subprocess multiprocessing pty", _NO_PROCESSES),
    ("_thread", _NO_THREADS),
    ("socket ssl select selectors ftplib smtplib imaplib poplib telnetlib", _NO_NETWORK),
    ("socketserver xmlrpc requests aiohttp httpx webbrowser wsgiref", _NO_NETWORK),
    ("pickle pickletools shelve dbm marshal copyreg", _NO_PICKLE),
    ("sqlite3", "programs keep nothing between runs; use dicts and lists"),
    ("ctypes cffi dis opcode symtable tracemalloc faulthandler", _NO_INSIDES),
    ("pkgutil runpy builtins __main__ site sysconfig zipimport", _NO_INSIDES),
    ("code codeop compileall py_compile", "`exec` and `eval` run text"),
    ("signal resource platform locale atexit pwd grp fcntl syslog getpass", _NO_SYSTEM),
    ("pytest hypothesis", _PLAIN_TESTS),
    ("optparse", "use argparse; `sys.argv` can be assigned, or a list given to parse_args"),
    ("curses readline cmd tkinter turtle pdb bdb", _NO_TERMINAL),
    ("cProfile profile pstats trace", "time.perf_counter measures; a run says what it used"),
    ("xml email mimetypes gettext", "it needs more memory than it is worth here"),
    ("numpy pandas scipy sympy matplotlib sklearn torch networkx PIL attr attrs", _ONLY_STANDARD),
    ("pydantic sortedcontainers more_itertools typing_extensions dateutil pytz", _ONLY_STANDARD),
    ("yaml rich tqdm colorama tabulate bs4 lxml django flask fastapi", _ONLY_STANDARD),
)
REFUSED: dict[str, str] = {name: why for names, why in _REFUSED for name in names.split()}


def is_importable(name: str) -> bool:
    """Whether `import name` works in user code."""
    return name in IMPORTABLE or name == "__future__"


def why_not(module: str, names: Iterable[str] = ()) -> str:
    """What keeps `import module` or `from module import names` from working; "" if nothing."""
    if not is_importable(module):
        return _why_not_module(module)
    offer = IMPORTABLE.get(module, Offer())
    for name in names:
        if f"{module}.{name}" in IMPORTABLE:
            continue
        if name in offer.refused:
            return f"`{module}.{name}` isn't available here: {offer.refused[name]}"
        listed = offer.only | offer.ours
        is_closed = offer.only or not offer.original
        if name in offer.without - offer.ours or (is_closed and name not in listed):
            return f"`{module}` has no `{name}` here{_similar(name, listed)}"
    return ""


def _why_not_module(module: str) -> str:
    top, _, rest = module.partition(".")
    parent = IMPORTABLE.get(top)
    why = REFUSED.get(top) or (parent.refused.get(rest.partition(".")[0]) if parent else None)
    reason = f": {why}" if why else _similar(module, IMPORTABLE)
    return f"`{module}` can't be imported here{reason or '; there are ' + ', '.join(IMPORTABLE)}"


def _similar(name: str, there_are: Iterable[str]) -> str:
    found = difflib.get_close_matches(name, [*there_are], n=3, cutoff=0.75)
    return f"; did you mean {' or '.join(f'`{each}`' for each in found)}?" if found else ""
