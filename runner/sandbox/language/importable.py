"""The modules that programs can import, and the reasons and alternatives for all others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

IMPORTABLE = frozenset(
    """
__future__ _collections_abc _thread abc argparse array ast asyncio atexit base64 bdb binascii bisect
builtins bz2 cProfile calendar cmath cmd code codecs codeop collections collections.abc colorsys
concurrent concurrent.futures concurrent.futures.thread configparser contextlib contextvars copy
copyreg csv dataclasses datetime decimal difflib dis doctest email email.message
email.mime.multipart email.mime.text email.parser email.policy email.utils encodings enum errno
fnmatch fractions functools gc genericpath getopt gettext graphlib gzip hashlib heapq hmac html
html.entities html.parser http http.cookies importlib importlib.abc importlib.machinery
importlib.metadata importlib.resources importlib.util inspect io ipaddress itertools json
json.decoder json.encoder jsonschema jsonschema.exceptions keyword linecache locale logging
logging.config logging.handlers lzma marshal math mimetypes mmap modulefinder ntpath numbers opcode
operator optparse os os.path pathlib pickle pickletools pkgutil platform plistlib posixpath pprint
profile pstats pyclbr pydoc pytest queue quopri random re reprlib rlcompleter sched secrets shelve
shlex shutil sqlite3 stat statistics string stringprep struct symtable sys tabnanny tarfile textwrap
threading time timeit token tokenize tomllib traceback tracemalloc types typing unicodedata unittest
unittest.case unittest.loader unittest.mock unittest.runner unittest.suite urllib urllib.parse
urllib.robotparser uuid warnings wave weakref wsgiref wsgiref.headers wsgiref.util xml xml.dom
xml.dom.minidom xml.etree xml.etree.ElementTree xml.sax xml.sax.handler xml.sax.saxutils zipapp
zipfile zlib zoneinfo
""".split()
)
# Packages of which all modules can be imported.
WHOLE = frozenset("asyncio email encodings html importlib json unittest xml".split())

_FILES = "programs reach no files; pass the content as an argument, or use io.StringIO"
_NETWORK = "programs reach no network; pass the data as an argument"
_PROCESSES = "a program starts no processes"
_INSIDES = "the insides of the interpreter are out of reach"
_SYSTEM = "programs don't reach the system that they run on"
_TERMINAL = "there is no terminal; print(...) goes to the log"
_STANDARD = "there is only the standard library, jsonschema and pytest"

_REFUSED = (
    ("tempfile glob fileinput filecmp dbm fcntl", _FILES),
    ("subprocess multiprocessing pty concurrent.futures.process", _PROCESSES),
    ("socket ssl select selectors ftplib smtplib imaplib poplib telnetlib", _NETWORK),
    ("socketserver xmlrpc requests aiohttp httpx webbrowser wsgiref.simple_server", _NETWORK),
    ("http.client http.server http.cookiejar urllib.request urllib.error", _NETWORK),
    ("ctypes cffi faulthandler runpy site sysconfig zipimport ensurepip venv", _INSIDES),
    ("compileall py_compile", "`exec`, `eval` and `compile` run text"),
    ("signal resource pwd grp syslog getpass posix", _SYSTEM),
    ("hypothesis", "write functions named test_..., plain asserts, or a unittest.TestCase"),
    ("curses readline tkinter turtle pdb", _TERMINAL),
    ("trace", "time.perf_counter measures; a run says what it used"),
    ("numpy pandas scipy sympy matplotlib sklearn torch networkx PIL attr attrs", _STANDARD),
    ("pydantic sortedcontainers more_itertools typing_extensions dateutil pytz", _STANDARD),
    ("yaml rich tqdm colorama tabulate bs4 lxml django flask fastapi", _STANDARD),
)
_UNUSABLE = (
    ("asyncio: open_connection start_server open_unix_connection", _NETWORK),
    ("asyncio: create_subprocess_exec create_subprocess_shell", _PROCESSES),
    ("codecs: open", _FILES),
    ("concurrent.futures: ProcessPoolExecutor", _PROCESSES),
    ("hashlib: file_digest", _FILES),
    ("io: open FileIO open_code", _FILES),
    ("logging: FileHandler", _FILES),
    ("logging.handlers: RotatingFileHandler TimedRotatingFileHandler WatchedFileHandler", _FILES),
    ("logging.handlers: SocketHandler DatagramHandler HTTPHandler SMTPHandler", _NETWORK),
    ("os: access chdir chmod chown getcwd link listdir lstat makedirs mkdir open readlink", _FILES),
    ("os: remove removedirs rename renames replace rmdir scandir stat symlink truncate", _FILES),
    ("os: unlink utime walk", _FILES),
    ("os: abort execl execle execlp execv execve execvp fork forkpty kill killpg nice", _PROCESSES),
    ("os: pipe popen posix_spawn spawnl spawnv startfile system wait waitpid", _PROCESSES),
    ("os: getlogin", _SYSTEM),
    ("shutil: copy copy2 copyfile copytree disk_usage make_archive move rmtree which", _FILES),
    ("tokenize: open", _FILES),
)
# The reasons for unavailable builtins, modules, and names of modules.
BUILTINS = {"open": _FILES} | dict.fromkeys(("breakpoint", "help"), "use print(...) to see values")
REFUSED = {name: why for names, why in _REFUSED for name in names.split()}
UNUSABLE = {
    (module, name): why
    for text, why in _UNUSABLE
    for module, _, names in [text.partition(": ")]
    for name in names.split()
}


def is_importable(name: str) -> bool:
    """Return whether `import name` works in a program."""
    return name in IMPORTABLE or (name.partition(".")[0] in WHOLE and name not in REFUSED)


def why_not(module: str, names: Iterable[str] = ()) -> str:
    """Return why `import module` or `from module import names` can't work; empty if it does."""
    if not is_importable(module):
        return _why_not_module(module)
    reasons = (why_not_name(module, name) for name in names if f"{module}.{name}" not in IMPORTABLE)
    return next(filter(None, reasons), "")


def why_not_name(module: str, name: str) -> str:
    """Return why a name of a module can't be used; empty if it can."""
    why = UNUSABLE.get((module, name)) or REFUSED.get(f"{module}.{name}")
    return f"`{module}.{name}` isn't available here: {why}" if why else ""


def _why_not_module(module: str) -> str:
    parts = module.split(".")
    parents = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    if why := next((REFUSED[each] for each in parents if each in REFUSED), ""):
        return f"`{module}` can't be imported here: {why}"
    found = difflib.get_close_matches(module, IMPORTABLE, n=3, cutoff=0.75)
    similar = f"did you mean {' or '.join(f'`{each}`' for each in found)}?" if found else ""
    return f"`{module}` can't be imported here; {similar or 'it is not in the standard library'}"
