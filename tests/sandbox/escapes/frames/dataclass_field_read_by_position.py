# Patterns that read by position.
# stopped by: policy
# ends: refused
from dataclasses import dataclass
@dataclass
class A:
    gi_frame: int
reached(A)
