# A protocol that is checked at run time matches whatever has its names.
# stopped by: policy
# ends: refused
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@runtime_checkable
@dataclass
class HasFrame(Protocol):
    gi_frame: object


match (n for n in ()):
    case HasFrame(frame):
        reached(frame)
