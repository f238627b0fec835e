"""Which site to talk to, and as whom: options, then the environment, then what `login` has kept.

The address is in the configuration file, the token in the system's keyring; where there is none,
in a file that only its owner can read.
"""

import json
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import platformdirs

from socialcode_client.errors import SocialCodeError

NAME = "socialcode"
URL_VARIABLE = "SOCIALCODE_URL"
TOKEN_VARIABLE = "SOCIALCODE_TOKEN"  # noqa: S105 - a name
# A keyring may ask somebody to unlock it, which nobody can do for a program.
KEYRING_VARIABLE = "SOCIALCODE_KEYRING"
_PRIVATE = 0o600


class Unusable(SocialCodeError):
    """The configuration can't be used; the text says why, and what to do."""


def configuration_folder() -> Path:
    """Return where this platform keeps the configuration of programs."""
    return Path(platformdirs.user_config_dir(NAME, appauthor=False))


def cache_folder() -> Path:
    """Return where this platform keeps what programs can fetch again."""
    return Path(platformdirs.user_cache_dir(NAME, appauthor=False))


def normal_address(text: str) -> str:
    """Return a site's address in its one form. Raises Unusable."""
    written = text.strip().rstrip("/")
    parts = urlsplit(written if "://" in written else f"https://{written}")
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise Unusable(f"{text!r} is no address of a site; write https://social.example.")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path}"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of sites."""

    folder: Path = field(default_factory=configuration_folder)

    @property
    def file(self) -> Path:
        return self.folder / "tokens.json"

    def find(self, address: str) -> str | None:
        """Return the token that is kept for a site."""
        found = self._read().get(address)
        if found or not is_keyring_wanted():
            return found
        from socialcode_client import keyrings  # noqa: PLC0415 - see there

        return keyrings.find(address)

    def keep(self, address: str, token: str) -> str:
        """Keep a token; return where, for people."""
        if is_keyring_wanted():
            from socialcode_client import keyrings  # noqa: PLC0415 - see there

            name = keyrings.keep(address, token)
            if name:
                self._write({**self._read(), address: None})
                return f"the keyring ({name})"
        self._write({**self._read(), address: token})
        return str(self.file)

    def forget(self, address: str) -> bool:
        """Delete the token of a site; tell whether there was one."""
        had = self.find(address) is not None
        if is_keyring_wanted():
            from socialcode_client import keyrings  # noqa: PLC0415 - see there

            keyrings.forget(address)
        self._write({**self._read(), address: None})
        return had

    def _read(self) -> dict[str, str]:
        try:
            return dict(json.loads(self.file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise Unusable(
                f"{self.file} can't be read ({error}); delete it, then: socialcode login"
            ) from error

    def _write(self, tokens: dict[str, str | None]) -> None:
        kept = {address: token for address, token in tokens.items() if token}
        if not kept and not self.file.exists():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        fresh = self.file.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        # Private from the start, so that nobody can open it in between.
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=2)
        fresh.replace(self.file)


@dataclass(frozen=True, slots=True)
class Configuration:
    """The configuration file, `config.toml`; comments in it are kept."""

    folder: Path = field(default_factory=configuration_folder)

    @property
    def file(self) -> Path:
        return self.folder / "config.toml"

    @property
    def address(self) -> str:
        return str(self._read().get("url", ""))

    @property
    def allowed(self) -> list[str]:
        """The sites whose functions may be imported, by address."""
        found = self._read().get("allow", [])
        return [str(one) for one in found] if isinstance(found, list) else []

    def keep(self, address: str) -> None:
        """Make this the site that is talked to without being named."""
        import tomlkit  # noqa: PLC0415 - for this alone, and it takes long

        self._read()  # raises if it is damaged
        document = tomlkit.parse(self._text())
        document["url"] = address
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file.write_text(tomlkit.dumps(document), encoding="utf-8")

    def _read(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self._text())
        except ValueError as error:
            raise Unusable(f"{self.file} can't be read: {error}") from error

    def _text(self) -> str:
        try:
            return self.file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, ValueError) as error:
            raise Unusable(f"{self.file} can't be read: {error}") from error


def is_keyring_wanted() -> bool:
    """Tell whether the system's keyring may be asked."""
    wanted = os.environ.get(KEYRING_VARIABLE, "").lower()
    return wanted not in ("0", "false", "no", "off")


def site_address(option: str | None) -> str:
    """Return the site to talk to. Raises Unusable if nothing names one."""
    found = option or os.environ.get(URL_VARIABLE) or Configuration().address
    if not found:
        raise Unusable(
            "Which site? Sign in with `socialcode login https://social.example`, or set "
            f"{URL_VARIABLE} or --url."
        )
    return normal_address(found)


def token_for(address: str, option: str | None) -> str | None:
    """Return the token to use with a site, if there is one.

    A token in the environment is for the site in the environment; another one never sees it.
    """
    if option:
        return option
    named = os.environ.get(TOKEN_VARIABLE)
    if named:
        meant = os.environ.get(URL_VARIABLE) or Configuration().address
        if not meant or normal_address(meant) == address:
            return named
    return Tokens().find(address)
