"""Why modules, and names in them, can't be imported, and what to do instead."""

from __future__ import annotations

# A stream beneath keeps the memory that it is given to read into, beyond the buffer's own life.
OF_FREED_MEMORY = "it lends memory that it frees; io.BytesIO is a file in memory"
NO_THREADS = "a program has one thread; call the function, or use asyncio"
ONE_AFTER_ANOTHER = "threads run one after another here; asyncio has what waits for others"
NO_FILES = "programs reach no files; pass the content as an argument, or use io.StringIO"
NO_NETWORK = "programs reach no network; pass the data as an argument"
NO_PROCESSES = "a program is one process and starts no other"
NO_INSIDES = "the insides of the interpreter are out of reach"
OUR_HEAP = "how its memory is kept isn't the program's to change; gc.collect() works"
NO_SYSTEM = "programs don't reach the system that they run on"
NO_RANDOMNESS = "needs the system's randomness; use random, seeded per program"
NO_PICKLE = "what it reads could run anything; use json, or copy.deepcopy"
PLAIN_TESTS = "write functions named test_..., plain asserts, or a unittest.TestCase"
ONLY_STANDARD = "there is only the standard library"
NO_TERMINAL = "there is no terminal; print(...) goes to the log"

_REFUSED: tuple[tuple[str, str], ...] = (
    ("tempfile glob fileinput filecmp linecache mmap", NO_FILES),
    ("posixpath ntpath", "os.path and pathlib.PurePosixPath work on names alone"),
    ("zipfile tarfile gzip bz2 lzma", "programs reach no files; zlib compresses bytes"),
    ("subprocess multiprocessing pty", NO_PROCESSES),
    ("_thread", NO_THREADS),
    ("socket ssl select selectors ftplib smtplib imaplib poplib telnetlib", NO_NETWORK),
    ("socketserver xmlrpc requests aiohttp httpx webbrowser wsgiref", NO_NETWORK),
    ("pickle pickletools shelve dbm marshal copyreg", NO_PICKLE),
    ("secrets", NO_RANDOMNESS),
    ("sqlite3", "programs keep nothing between runs; use dicts and lists"),
    ("ctypes cffi dis opcode symtable tracemalloc faulthandler", NO_INSIDES),
    ("pkgutil runpy builtins __main__ site sysconfig zipimport", NO_INSIDES),
    ("code codeop compileall py_compile", "`exec` and `eval` run text"),
    ("signal resource platform locale atexit pwd grp fcntl syslog getpass", NO_SYSTEM),
    ("pytest hypothesis", PLAIN_TESTS),
    ("optparse", "use argparse; `sys.argv` can be assigned, or a list given to parse_args"),
    ("curses readline cmd tkinter turtle pdb bdb", NO_TERMINAL),
    ("cProfile profile pstats trace", "time.perf_counter measures; a run says what it used"),
    ("xml email mimetypes gettext", "it needs more memory than it is worth here"),
    ("numpy pandas scipy sympy matplotlib sklearn torch networkx PIL attr attrs", ONLY_STANDARD),
    ("pydantic sortedcontainers more_itertools typing_extensions dateutil pytz", ONLY_STANDARD),
    ("yaml rich tqdm colorama tabulate bs4 lxml django flask fastapi", ONLY_STANDARD),
)
REFUSED: dict[str, str] = {name: why for names, why in _REFUSED for name in names.split()}
