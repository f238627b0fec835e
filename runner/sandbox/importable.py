"""The one table of modules: what user code may import of each, and why not the others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from runner.sandbox.offers import Offer, everything, only, ours
from runner.sandbox.reasons import (
    NO_FILES,
    NO_INSIDES,
    NO_NETWORK,
    NO_PROCESSES,
    NO_RANDOMNESS,
    NO_SYSTEM,
    NO_THREADS,
    OF_FREED_MEMORY,
    ONE_AFTER_ANOTHER,
    OUR_HEAP,
    REFUSED,
)

IMPORTABLE: dict[str, Offer] = {
    "abc": only(
        "ABC abstractmethod abstractproperty abstractclassmethod abstractstaticmethod",
        ours="ABCMeta",
    ),
    "argparse": ours(
        "ArgumentParser ArgumentError ArgumentTypeError BooleanOptionalAction HelpFormatter "
        "ArgumentDefaultsHelpFormatter RawDescriptionHelpFormatter RawTextHelpFormatter "
        "MetavarTypeHelpFormatter Namespace Action ONE_OR_MORE OPTIONAL PARSER REMAINDER SUPPRESS "
        "ZERO_OR_MORE",
        FileType=NO_FILES,
    ),
    "array": only("array typecodes ArrayType"),
    "ast": everything(
        ours="copy_location fix_missing_locations increment_lineno get_docstring",
        without="main get_source_segment contextmanager nullcontext IntEnum auto PyCF_ONLY_AST "
        "PyCF_TYPE_COMMENTS PyCF_ALLOW_TOP_LEVEL_AWAIT Num Str Bytes NameConstant Ellipsis",
    ),
    "asyncio": only(
        "FIRST_COMPLETED FIRST_EXCEPTION ALL_COMPLETED CancelledError TimeoutError "
        "InvalidStateError QueueEmpty QueueFull BrokenBarrierError IncompleteReadError "
        "Future Task Event Lock Semaphore BoundedSemaphore Condition Barrier Queue PriorityQueue "
        "LifoQueue TaskGroup Timeout timeout timeout_at gather wait wait_for as_completed shield "
        "sleep create_task ensure_future current_task all_tasks iscoroutine iscoroutinefunction "
        "isfuture wrap_future Handle TimerHandle AbstractEventLoop get_running_loop",
        ours="run Runner get_event_loop new_event_loop set_event_loop",
        to_thread=NO_THREADS,
        run_coroutine_threadsafe=NO_THREADS,
        open_connection=NO_NETWORK,
        start_server=NO_NETWORK,
        create_subprocess_exec=NO_PROCESSES,
        create_subprocess_shell=NO_PROCESSES,
    ),
    "base64": everything(without="decode encode main"),
    "binascii": everything(),
    "bisect": everything(),
    "calendar": everything(without="LocaleTextCalendar LocaleHTMLCalendar"),
    "cmath": everything(),
    "codecs": only(
        "encode decode BOM BOM_UTF8 BOM_UTF16 BOM_UTF16_BE BOM_UTF16_LE BOM_UTF32 BOM_UTF32_BE "
        "BOM_UTF32_LE getincrementaldecoder getincrementalencoder iterencode iterdecode",
        open=NO_FILES,
    ),
    "collections": everything(ours="namedtuple"),
    "collections.abc": everything(),
    "colorsys": everything(),
    "concurrent": ours(""),
    "concurrent.futures": ours(
        "ThreadPoolExecutor ProcessPoolExecutor Executor Future as_completed wait FIRST_COMPLETED "
        "FIRST_EXCEPTION ALL_COMPLETED CancelledError InvalidStateError TimeoutError"
    ),
    "configparser": everything(),
    "contextlib": only(
        "contextmanager asynccontextmanager closing aclosing suppress nullcontext ExitStack "
        "AsyncExitStack ContextDecorator AsyncContextDecorator AbstractContextManager "
        "AbstractAsyncContextManager",
        ours="redirect_stdout redirect_stderr",
        chdir=NO_FILES,
    ),
    "contextvars": everything(),
    "copy": only("copy deepcopy Error error"),
    "csv": everything(without="field_size_limit"),
    "dataclasses": only(
        "field fields asdict astuple replace is_dataclass KW_ONLY InitVar MISSING Field "
        "FrozenInstanceError",
        ours="dataclass make_dataclass",
    ),
    "datetime": everything(),
    "decimal": everything(),
    "difflib": everything(),
    "doctest": ours(
        "testmod run_docstring_examples TestResults DONT_ACCEPT_TRUE_FOR_1 DONT_ACCEPT_BLANKLINE "
        "NORMALIZE_WHITESPACE ELLIPSIS SKIP IGNORE_EXCEPTION_DETAIL REPORT_UDIFF REPORT_CDIFF "
        "REPORT_NDIFF REPORT_ONLY_FIRST_FAILURE FAIL_FAST",
        testfile=NO_FILES,
    ),
    "enum": only(
        "Enum IntEnum StrEnum ReprEnum Flag IntFlag auto unique verify property member nonmember "
        "EnumCheck CONTINUOUS NAMED_FLAGS UNIQUE FlagBoundary STRICT CONFORM EJECT KEEP",
        ours="EnumMeta EnumType",
    ),
    "errno": everything(),
    "fnmatch": everything(),
    "fractions": everything(),
    "functools": everything(
        without="WRAPPER_ASSIGNMENTS WRAPPER_UPDATES",
        ours="wraps update_wrapper total_ordering",
    ),
    "gc": ours(
        "collect enable disable isenabled get_count",
        **dict.fromkeys(
            "get_objects get_referrers get_referents callbacks garbage is_tracked".split(),
            NO_INSIDES,
        ),
        **dict.fromkeys("freeze unfreeze set_threshold get_threshold set_debug".split(), OUR_HEAP),
    ),
    "getopt": only("getopt gnu_getopt GetoptError error"),
    "graphlib": everything(),
    "hashlib": everything(file_digest=NO_FILES),
    "heapq": everything(),
    "hmac": only("HMAC new digest compare_digest"),
    "html": only("escape unescape"),
    "html.entities": everything(),
    "html.parser": everything(),
    "http": only("HTTPStatus HTTPMethod", client=NO_NETWORK, server=NO_NETWORK),
    "importlib": ours(
        "import_module", **dict.fromkeys("machinery reload resources util".split(), NO_INSIDES)
    ),
    "inspect": only(
        "Parameter isclass isfunction ismethod isbuiltin isroutine isgenerator "
        "isgeneratorfunction iscoroutine iscoroutinefunction isawaitable isasyncgen "
        "isasyncgenfunction ismethoddescriptor isdatadescriptor isabstract cleandoc Signature "
        "BoundArguments "
        "getgeneratorstate getcoroutinestate GEN_CREATED GEN_RUNNING GEN_SUSPENDED GEN_CLOSED",
        ours="signature getfullargspec getdoc getmro getmembers",
        currentframe=NO_INSIDES,
        stack=NO_INSIDES,
        getsource="a program doesn't see its own text",
    ),
    "io": only(
        "StringIO BytesIO TextIOWrapper IOBase "
        "RawIOBase BufferedIOBase TextIOBase UnsupportedOperation SEEK_SET SEEK_CUR SEEK_END "
        "DEFAULT_BUFFER_SIZE",
        BufferedReader=OF_FREED_MEMORY,
        BufferedWriter=OF_FREED_MEMORY,
        BufferedRandom=OF_FREED_MEMORY,
        open=NO_FILES,
        FileIO=NO_FILES,
    ),
    "ipaddress": everything(),
    "itertools": everything(),
    "json": everything(),
    "json.decoder": only("JSONDecodeError JSONDecoder"),
    "json.encoder": only("JSONEncoder"),
    "keyword": everything(),
    "logging": ours(
        "NOTSET DEBUG INFO WARNING WARN ERROR CRITICAL FATAL Logger Handler StreamHandler "
        "NullHandler Formatter Filter LogRecord LoggerAdapter BASIC_FORMAT root getLogger "
        "basicConfig debug info warning warn error exception critical fatal log disable "
        "getLevelName addLevelName",
        FileHandler=NO_FILES,
        config="make handlers and loggers in the program: logging.basicConfig, addHandler",
        captureWarnings="warnings go to the log as they are; warnings.catch_warnings records them",
    ),
    "logging.handlers": ours(
        "BufferingHandler MemoryHandler QueueHandler",
        QueueListener=NO_THREADS,
        **dict.fromkeys(
            "RotatingFileHandler TimedRotatingFileHandler WatchedFileHandler".split(), NO_FILES
        ),
        **dict.fromkeys(
            "SocketHandler DatagramHandler HTTPHandler SMTPHandler SysLogHandler".split(),
            NO_NETWORK,
        ),
    ),
    "math": everything(),
    "numbers": everything(),
    "operator": everything(ours="attrgetter methodcaller setitem delitem"),
    "os": ours(
        "altsep cpu_count curdir environ extsep fspath getenv linesep name pardir pathsep sep "
        "PathLike",
        **dict.fromkeys(
            "chdir getcwd listdir makedirs mkdir open remove rename rmdir scandir stat unlink "
            "walk".split(),
            NO_FILES,
        ),
        **dict.fromkeys("abort execv fork kill popen spawnv system".split(), NO_PROCESSES),
        **dict.fromkeys("getlogin getpid getuid uname".split(), NO_SYSTEM),
    ),
    "os.path": only(
        "altsep basename commonpath commonprefix curdir dirname extsep isabs join normcase "
        "normpath pardir pathsep sep split splitdrive splitext",
        **dict.fromkeys(
            "abspath exists expanduser expandvars getmtime getsize isdir isfile islink realpath "
            "relpath".split(),
            NO_FILES,
        ),
    ),
    "pathlib": only(
        "PurePath PurePosixPath PureWindowsPath",
        Path="programs reach no files; PurePosixPath works on names alone",
        PosixPath="programs reach no files; PurePosixPath works on names alone",
    ),
    "pprint": only("pformat saferepr isreadable isrecursive", ours="pprint pp PrettyPrinter"),
    "queue": ours("Queue LifoQueue PriorityQueue SimpleQueue Empty Full"),
    "random": everything(without="SystemRandom", ours="seed", SystemRandom=NO_RANDOMNESS),
    "re": everything(),
    "reprlib": everything(ours="aRepr repr"),
    "sched": everything(),
    "shlex": only("split join quote"),
    "statistics": everything(),
    "string": everything(),
    "struct": everything(),
    "shutil": ours(
        "get_terminal_size",
        **dict.fromkeys("copy copyfile copytree move rmtree which".split(), NO_FILES),
    ),
    "sys": ours(
        "argv byteorder copyright exc_info exception exit float_info float_repr_style "
        "getdefaultencoding getfilesystemencoding get_int_max_str_digits getrecursionlimit "
        "getrefcount getsizeof hash_info hexversion implementation int_info intern maxsize "
        "maxunicode platform set_int_max_str_digits setrecursionlimit stderr stdin stdout "
        "version version_info",
        modules=NO_INSIDES,
        settrace=NO_INSIDES,
        setprofile=NO_INSIDES,
        path="all modules that there are can be imported as they are",
    ),
    "textwrap": everything(),
    "threading": ours(
        "Thread Timer Lock RLock Condition Event Semaphore BoundedSemaphore local current_thread "
        "main_thread get_ident active_count enumerate",
        Barrier=ONE_AFTER_ANOTHER,
        excepthook=ONE_AFTER_ANOTHER,
    ),
    "time": only(
        "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time "
        "process_time_ns thread_time gmtime localtime mktime strftime strptime asctime "
        "ctime struct_time timezone altzone daylight tzname",
        ours="sleep",
    ),
    "timeit": ours("default_timer timeit repeat Timer"),
    "token": everything(),
    "tokenize": only(
        "generate_tokens TokenError TokenInfo COMMENT DEDENT ENCODING ENDMARKER ERRORTOKEN INDENT "
        "NAME NEWLINE NL NUMBER OP STRING tok_name",
        open=NO_FILES,
    ),
    "tomllib": only("loads TOMLDecodeError", load=NO_FILES),
    "traceback": ours(
        "format_exc print_exc format_exception print_exception format_exception_only "
        "format_tb print_tb extract_tb",
        extract_stack=NO_INSIDES,
        walk_tb=NO_INSIDES,
    ),
    "types": only(
        "AsyncGeneratorType BuiltinFunctionType BuiltinMethodType CoroutineType EllipsisType "
        "FunctionType GeneratorType GenericAlias LambdaType MappingProxyType MethodType NoneType "
        "NotImplementedType TracebackType UnionType DynamicClassAttribute",
        ours="SimpleNamespace ModuleType coroutine",
        CodeType=NO_INSIDES,
        FrameType=NO_INSIDES,
        new_class="write a class statement",
    ),
    "typing": everything(
        without="ForwardRef no_type_check_decorator",
        ours="get_origin get_type_hints NamedTuple Type no_type_check",
    ),
    "unicodedata": everything(without="ucd_3_2_0"),
    "unittest": ours(
        "TestCase IsolatedAsyncioTestCase TestSuite TestLoader TestResult TextTestResult "
        "TextTestRunner SkipTest skip skipIf skipUnless expectedFailure makeSuite main "
        "defaultTestLoader",
        mock="it changes what others rely on; pass a function or an object of your own",
    ),
    "urllib": ours("", request=NO_NETWORK, error=NO_NETWORK),
    "urllib.parse": everything(),
    "uuid": only(
        "UUID SafeUUID uuid3 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500 "
        "RESERVED_NCS RFC_4122 RESERVED_MICROSOFT RESERVED_FUTURE",
        ours="uuid1 uuid4",
        getnode=NO_SYSTEM,
    ),
    "warnings": ours(
        "warn simplefilter filterwarnings resetwarnings catch_warnings WarningMessage"
    ),
    "weakref": only(
        "ref proxy ReferenceType ProxyType CallableProxyType getweakrefcount getweakrefs "
        "WeakKeyDictionary WeakValueDictionary WeakSet WeakMethod",
        ours="finalize",
    ),
    "zlib": everything(),
    "zoneinfo": only("ZoneInfo ZoneInfoNotFoundError", ours="available_timezones"),
}


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
