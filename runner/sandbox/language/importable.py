"""The modules that programs can import, and names of theirs that can't work."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from runner.sandbox.language.reasons import (
    NO_FILES,
    NO_NETWORK,
    NO_PROCESSES,
    NO_SYSTEM,
    REFUSED,
)

_MODULES = """
__future__ _collections_abc _thread abc argparse array ast asyncio base64 bdb binascii bisect
builtins bz2 cProfile calendar cmath cmd code codecs codeop collections collections.abc colorsys
concurrent concurrent.futures concurrent.futures.thread configparser contextlib contextvars copy
copyreg csv dataclasses datetime decimal difflib dis doctest email email.message
email.mime.multipart email.mime.text email.parser email.policy email.utils encodings enum errno
fnmatch fractions functools gc genericpath getopt gettext graphlib gzip hashlib heapq hmac html
html.entities html.parser http http.cookies importlib importlib.abc importlib.machinery
importlib.metadata importlib.resources importlib.util inspect io ipaddress itertools json
json.decoder json.encoder keyword linecache locale logging logging.config logging.handlers lzma
marshal math mimetypes mmap modulefinder ntpath numbers opcode operator optparse os os.path pathlib
pickle pickletools pkgutil platform plistlib posixpath pprint profile pstats pyclbr pydoc pytest
queue quopri random re reprlib rlcompleter sched secrets shelve shlex shutil sqlite3 stat
statistics string stringprep struct symtable sys tabnanny tarfile textwrap threading time timeit
token tokenize tomllib traceback tracemalloc types typing unicodedata unittest unittest.case
unittest.loader unittest.mock unittest.runner unittest.suite urllib urllib.parse urllib.robotparser
uuid warnings wave weakref wsgiref wsgiref.headers wsgiref.util xml xml.dom xml.dom.minidom
xml.etree xml.etree.ElementTree xml.sax xml.sax.handler xml.sax.saxutils zipapp zipfile zlib
zoneinfo
""".split()

# Packages all of which can be imported.
WHOLE = frozenset("asyncio email encodings html importlib json unittest xml".split())

_FILES_OF_OS = """
access chdir chmod chown getcwd link listdir lstat makedirs mkdir open readlink remove removedirs
rename renames replace rmdir scandir stat symlink truncate unlink utime walk
""".split()
_PROCESSES_OF_OS = """
abort execl execle execlp execv execve execvp fork forkpty kill killpg nice pipe popen posix_spawn
spawnl spawnv startfile system wait waitpid
""".split()
_FILES_OF_SHUTIL = "copy copy2 copyfile copytree disk_usage make_archive move rmtree which".split()

# By module, the names that can't work, and why.
_UNUSABLE: dict[str, dict[str, str]] = {
    "asyncio": {
        "open_connection": NO_NETWORK,
        "start_server": NO_NETWORK,
        "open_unix_connection": NO_NETWORK,
        "create_subprocess_exec": NO_PROCESSES,
        "create_subprocess_shell": NO_PROCESSES,
    },
    "codecs": {"open": NO_FILES},
    "concurrent.futures": {"ProcessPoolExecutor": NO_PROCESSES},
    "hashlib": {"file_digest": NO_FILES},
    "io": {"open": NO_FILES, "FileIO": NO_FILES, "open_code": NO_FILES},
    "logging": {"FileHandler": NO_FILES},
    "logging.handlers": {
        **dict.fromkeys(
            ("RotatingFileHandler", "TimedRotatingFileHandler", "WatchedFileHandler"), NO_FILES
        ),
        **dict.fromkeys(
            ("SocketHandler", "DatagramHandler", "HTTPHandler", "SMTPHandler"), NO_NETWORK
        ),
    },
    "os": {
        **dict.fromkeys(_FILES_OF_OS, NO_FILES),
        **dict.fromkeys(_PROCESSES_OF_OS, NO_PROCESSES),
        "getlogin": NO_SYSTEM,
    },
    "shutil": dict.fromkeys(_FILES_OF_SHUTIL, NO_FILES),
    "tokenize": {"open": NO_FILES},
}

# Module: the names in it that can't be used, with reasons.
IMPORTABLE: Mapping[str, Mapping[str, str]] = {name: _UNUSABLE.get(name, {}) for name in _MODULES}


def is_importable(name: str) -> bool:
    """Tell whether `import name` works in a program."""
    return name in IMPORTABLE or (name.partition(".")[0] in WHOLE and name not in REFUSED)


def why_not(module: str, names: Iterable[str] = ()) -> str:
    """Return what keeps `import module` or `from module import names` from working, or ""."""
    if not is_importable(module):
        return _why_not_module(module)
    for name in names:
        if f"{module}.{name}" not in IMPORTABLE and (why := why_not_name(module, name)):
            return why
    return ""


def why_not_name(module: str, name: str) -> str:
    """Return why a name of a module can't be used, or ""."""
    why = IMPORTABLE.get(module, {}).get(name) or REFUSED.get(f"{module}.{name}")
    return f"`{module}.{name}` isn't available here: {why}" if why else ""


def _why_not_module(module: str) -> str:
    parts = module.split(".")
    parents = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    why = next((REFUSED[each] for each in parents if each in REFUSED), "")
    reason = f": {why}" if why else _similar(module)
    return f"`{module}` can't be imported here{reason or '; it is not in the standard library'}"


def _similar(name: str) -> str:
    found = difflib.get_close_matches(name, [*IMPORTABLE], n=3, cutoff=0.75)
    return f"; did you mean {' or '.join(f'`{each}`' for each in found)}?" if found else ""
