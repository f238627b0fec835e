"""Errors of starting an engine, with messages for the operator."""

import errno
import shutil
from pathlib import Path

MINIMUM_FREE_BYTES = 64 * 1024 * 1024


class EngineFailed(Exception):
    """An engine did not start; the message has the reason and a remedy."""


class AlreadyRunning(EngineFailed):
    """Another command holds this folder's engines."""


def disk_is_full(folder: Path, output: str = "") -> bool:
    """Return whether a failure in this folder was caused by a full disk.

    The engine's output is checked too, because free space doesn't reflect quotas.
    """
    if "No space left on device" in output or "Disk quota exceeded" in output:
        return True
    return shutil.disk_usage(folder).free < MINIMUM_FREE_BYTES


def disk_full_message(folder: Path) -> str:
    """Return a message about a full disk, with remedies."""
    return (
        f"The disk that holds {folder} is full. Free at least 200 MB there, or set"
        " SOCIALCODE_VAR to a folder on another disk, and start again."
    )


def from_os_error(error: OSError, folder: Path) -> EngineFailed:
    """Return an EngineFailed about this folder for an OSError."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return EngineFailed(disk_full_message(folder))
    return EngineFailed(
        f"{folder} cannot be used: {error.strerror}. Make it writable, or set SOCIALCODE_VAR"
        " to a folder that is."
    )
