"""Why modules, and names in them, can't be used, and what to do instead."""

from __future__ import annotations

NO_FILES = "programs reach no files; pass the content as an argument, or use io.StringIO"
NO_NETWORK = "programs reach no network; pass the data as an argument"
NO_PROCESSES = "a program starts no processes"
NO_INSIDES = "the insides of the interpreter are out of reach"
NO_SYSTEM = "programs don't reach the system that they run on"
NO_TERMINAL = "there is no terminal; print(...) goes to the log"
ONLY_STANDARD = "there is only the standard library"

_REFUSED: tuple[tuple[str, str], ...] = (
    ("tempfile glob fileinput filecmp dbm fcntl", NO_FILES),
    ("subprocess multiprocessing pty concurrent.futures.process", NO_PROCESSES),
    ("socket ssl select selectors ftplib smtplib imaplib poplib telnetlib", NO_NETWORK),
    ("socketserver xmlrpc requests aiohttp httpx webbrowser wsgiref.simple_server", NO_NETWORK),
    ("http.client http.server http.cookiejar urllib.request urllib.error", NO_NETWORK),
    ("ctypes cffi faulthandler", NO_INSIDES),
    ("runpy site sysconfig zipimport ensurepip venv", NO_INSIDES),
    ("compileall py_compile", "`exec`, `eval` and `compile` run text"),
    ("signal resource pwd grp syslog getpass posix", NO_SYSTEM),
    ("hypothesis", "write functions named test_..., plain asserts, or a unittest.TestCase"),
    ("curses readline tkinter turtle pdb", NO_TERMINAL),
    ("trace", "time.perf_counter measures; a run says what it used"),
    ("atexit", "nothing is run after the program; call it as its last statement"),
    ("numpy pandas scipy sympy matplotlib sklearn torch networkx PIL attr attrs", ONLY_STANDARD),
    ("pydantic sortedcontainers more_itertools typing_extensions dateutil pytz", ONLY_STANDARD),
    ("yaml rich tqdm colorama tabulate bs4 lxml django flask fastapi", ONLY_STANDARD),
)
REFUSED: dict[str, str] = {name: why for names, why in _REFUSED for name in names.split()}

# Builtins that can't do here what they do.
BUILTINS: dict[str, str] = {
    "open": NO_FILES,
    "breakpoint": "use print(...) to see values",
    "help": "use print(...) to see values",
}
