"""Python API of a Social Code site: `Client("https://social.example", token)`."""

from socialcode_client.client import Client
from socialcode_client.errors import (
    BadRequest,
    CallFailed,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    NotReachable,
    NotSignedIn,
    Problem,
    SiteFault,
    SocialCodeError,
    StillOpen,
    TooLarge,
    TooOften,
)

__all__ = [
    "BadRequest",
    "CallFailed",
    "Client",
    "Conflict",
    "Forbidden",
    "Invalid",
    "NotFound",
    "NotReachable",
    "NotSignedIn",
    "Problem",
    "SiteFault",
    "SocialCodeError",
    "StillOpen",
    "TooLarge",
    "TooOften",
]
