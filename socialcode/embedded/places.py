"""Paths of the embedded engines' files, and the addresses derived from them."""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

# A socket's path has at most 107 bytes, and PostgreSQL appends "/.s.PGSQL.5432.lock" to the folder.
LONGEST_SOCKET_FOLDER = 85


@dataclass(frozen=True, slots=True)
class Places:
    """The paths of one pair of engines, below one private folder."""

    root: Path

    @property
    def lock(self) -> Path:
        return self.root / "engines.lock"

    @property
    def postgres_folder(self) -> Path:
        return self.root / "postgres"

    @property
    def postgres_log(self) -> Path:
        return self.root / "postgres.log"

    @property
    def valkey_folder(self) -> Path:
        return self.root / "valkey"

    @property
    def valkey_log(self) -> Path:
        return self.root / "valkey.log"

    @property
    def sockets(self) -> Path:
        """The folder of sockets: below the root if its path is short enough, else elsewhere."""
        inside = self.root / "sockets"
        if len(os.fsencode(inside)) <= LONGEST_SOCKET_FOLDER:
            return inside
        digest = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"socialcode-{os.geteuid()}-{digest}"

    @property
    def valkey_socket(self) -> Path:
        return self.sockets / "valkey"

    @property
    def callers_socket(self) -> Path:
        return self.sockets / "callers"

    @property
    def analysis_socket(self) -> Path:
        return self.sockets / "analyses"

    @property
    def database_url(self) -> str:
        return f"postgresql://postgres@/socialcode?host={self.sockets}"

    @property
    def redis_url(self) -> str:
        return f"unix://{self.valkey_socket}?db=0"
