"""Released functions of a Social Code site: `from socialcode.lib import Multiply`.

Importing runs what others have written, so a site must be allowed first: `allow(address)`, the
environment variable SOCIALCODE_ALLOW, or `allow` in the configuration.
"""

from socialcode_client.library.loader import Library as _Library
from socialcode_client.library.loader import install as _install

_library = _Library()
_install(_library)
allow = _library.allow
use_lock = _library.use_lock
load = _library.load

__all__ = ["allow", "load", "use_lock"]


def __getattr__(name: str) -> object:
    """Return a function of the site. Raises ImportError, which says what to do."""
    if name.startswith("__"):
        raise AttributeError(name)
    return load(name)
