"""The import of released functions: allowed explicitly, exact by hash, offline once fetched.

A lock file decides what is imported, if there is one. Otherwise the site is asked which releases
belong together, so that all functions of a program share one copy of each.
"""

import os
import sys
import threading
from collections.abc import Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from socialcode_client.client import Client
from socialcode_client.configuration import (
    URL_VARIABLE,
    Configuration,
    normal_address,
)
from socialcode_client.errors import NotReachable, SiteFault, SocialCodeError
from socialcode_client.library.locks import FILE_NAME, Lock, Locked, package_of
from socialcode_client.library.store import PACKAGE, Store
from socialcode_client.transport import Patience

ALLOW_VARIABLE = "SOCIALCODE_ALLOW"
LOCK_VARIABLE = "SOCIALCODE_LOCK"
OFFLINE_VARIABLE = "SOCIALCODE_OFFLINE"
# An import can't be waited for as a command can.
_PATIENCE = Patience(tries=2, longest_pause=5.0, connect=5.0, answer=30.0)


class Library:
    """The released functions that this process may import."""

    def __init__(self, store: Store | None = None) -> None:
        self._store = store or Store()
        self._allowed: list[str] = []
        self._lock_path: Path | None = None
        self._wanted: list[str] = []
        self._locked: dict[str, Locked] = {}
        self._sources: dict[str, tuple[str, str]] = {}  # by module: source, and where it is from
        self._guard = threading.RLock()

    def allow(self, address: str) -> None:
        """Let this process run what the people of a site have written."""
        self._allowed.insert(0, normal_address(address))

    def use_lock(self, path: str | os.PathLike[str]) -> None:
        """Import exactly what a lock file names, and nothing else."""
        self._lock_path = Path(path)

    def load(self, function: str) -> Any:
        """Return a function. Raises ImportError, which says what to do."""
        try:
            with self._guard:
                module = self._module_of(function)
        except SocialCodeError as error:
            raise ImportError(f"{function} can't be imported: {error}", name=function) from error
        __import__(module)
        return getattr(sys.modules[module], module.removeprefix(f"{PACKAGE}."))

    def source(self, module: str) -> tuple[str, str] | None:
        """Return a module's source and where it is from, if it was chosen."""
        return self._sources.get(module)

    def _module_of(self, function: str) -> str:
        package = package_of(function)
        if package not in self._locked:
            self._choose(function)
        wanted = self._locked.get(package)
        if wanted is None:
            raise SocialCodeError(
                f"the lock file doesn't name it. Add it: socialcode lock --add {function}"
            )
        for module, (_, origin) in self._sources.items():
            if origin == wanted.filename:
                return module
        raise SocialCodeError(f"{wanted.filename} has no module of it.")

    def _choose(self, function: str) -> None:
        path = self._lock_file()
        if path is not None:
            lock = Lock.load(path)
            self._require_allowed_files(lock, path)
        else:
            lock = self._ask(function)
        for name, locked in lock.releases.items():
            known = self._locked.get(name, locked)
            if known.sha256 != locked.sha256:
                raise SocialCodeError(
                    f"it needs release {locked.number} of {name}, and {known.number} is imported "
                    "already. Start again, or write a lock file: socialcode lock"
                )
        fetched: dict[str, tuple[str, str]] = {}
        for locked in lock.releases.values():
            modules = self._store.modules(locked, self._fetch)
            fetched |= {module: (text, locked.filename) for module, text in modules.items()}
        self._sources |= fetched
        self._locked |= lock.releases
        self._wanted.append(function)

    def _lock_file(self) -> Path | None:
        if self._lock_path is not None:
            return self._lock_path
        named = os.environ.get(LOCK_VARIABLE)
        if named:
            return Path(named)
        here = Path.cwd()
        for folder in (here, *here.parents):
            path = folder / FILE_NAME
            # Another tool's lock file of the same name has no functions.
            if path.exists() and Lock.load(path).releases:
                return path
        return None

    def _ask(self, function: str) -> Lock:
        """Return which releases belong together now; offline, which ones did last."""
        address = self._site()
        if _is_offline():
            reason = f"{OFFLINE_VARIABLE} is set"
        else:
            functions = [*self._wanted, function]
            try:
                with Client(address, patience=_PATIENCE) as client:
                    text = client.lock_file(functions, FILE_NAME)
            except (NotReachable, SiteFault) as error:
                reason = str(error)
            else:
                for each in functions:
                    self._store.remember(f"{address} {each.lower()}", text)
                return Lock.parse(text)
        kept = self._store.remembered(f"{address} {function.lower()}")
        if kept is None:
            raise SocialCodeError(f"it was never fetched to this machine, and {reason}")
        return Lock.parse(kept)

    def _fetch(self, locked: Locked) -> bytes:
        """Return a wheel's content, which nobody has compared with its hash yet."""
        if self._lock_file() is None:  # what the site itself has named
            address, path = self._site(), f"/simple/files/{locked.filename}"
        else:
            address = next(one for one in self._allowances() if _is_below(locked.url, one))
            path = locked.url.removeprefix(address)
        if _is_offline():
            raise SocialCodeError(
                f"{locked.filename} isn't on this machine, and {OFFLINE_VARIABLE} is set"
            )
        with Client(address, patience=_PATIENCE) as client:
            return client.file(path)

    def _require_allowed_files(self, lock: Lock, path: Path) -> None:
        allowed = self._allowances()
        for locked in lock.releases.values():
            if not any(_is_below(locked.url, one) for one in allowed):
                raise SocialCodeError(
                    f"{path} names {locked.url}, of a site that isn't allowed. "
                    f"{_how_to_allow(locked.url)}"
                )

    def _site(self) -> str:
        """Return the site to ask: the one allowed here, else the configured one, if allowed."""
        if self._allowed:
            return self._allowed[0]
        allowed = self._allowances()
        configured = os.environ.get(URL_VARIABLE) or Configuration().address
        if configured and normal_address(configured) in allowed:
            return normal_address(configured)
        if len(allowed) == 1:
            return allowed[0]
        raise SocialCodeError(
            "importing runs what others have written, in this process and with your rights, so a "
            f"site must be allowed first. {_how_to_allow(configured or 'https://social.example')}"
        )

    def _allowances(self) -> list[str]:
        named = os.environ.get(ALLOW_VARIABLE, "").split()
        return [*self._allowed, *map(normal_address, [*named, *Configuration().allowed])]


def _is_offline() -> bool:
    return os.environ.get(OFFLINE_VARIABLE, "").lower() not in ("", "0", "false", "no", "off")


def _is_below(url: str, address: str) -> bool:
    return url.startswith(f"{address}/")


def _how_to_allow(url: str) -> str:
    address = "/".join(url.split("/")[:3])
    return (
        f'Call socialcode.lib.allow("{address}") before, or set {ALLOW_VARIABLE}={address}, or '
        f'write allow = ["{address}"] into {Configuration().file}.'
    )


class Finder(MetaPathFinder):
    """Finds the modules of released functions that were chosen, and their package."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module, or None if it isn't ours."""
        del path, target
        found = self._library.source(fullname)
        if found is None:
            return None
        source, origin = found
        return ModuleSpec(fullname, _Loader(source, origin), origin=f"{origin}/{fullname}")


class PackageFinder(MetaPathFinder):
    """Finds the package of functions where none are installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return an empty package."""
        del path, target
        return ModuleSpec(fullname, None, is_package=True) if fullname == PACKAGE else None


class _Loader(InspectLoader):
    """Loads a source that was compared with its hash."""

    def __init__(self, source: str, origin: str) -> None:
        self._source = source
        self._origin = origin

    def get_source(self, fullname: str) -> str:
        del fullname
        return self._source

    def exec_module(self, module: ModuleType) -> None:
        """Run the module."""
        name = f"<{self._origin}>/{module.__name__.replace('.', '/')}.py"
        module.__file__ = name
        # A file fetched by its hash from an allowed site is the one that was asked for.
        exec(compile(self._source, name, "exec"), module.__dict__)  # noqa: S102


def install(library: Library, meta_path: list[Any] | None = None) -> None:
    """Have Python ask a library; whatever is installed on the machine comes after it."""
    finders = sys.meta_path if meta_path is None else meta_path
    finders.insert(0, Finder(library))
    finders.append(PackageFinder())
