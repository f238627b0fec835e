# A field called `__init__`, to be read by position where no guard looks.
# stopped by: policy
# ends: refused
from dataclasses import dataclass


@dataclass
class Read:
    __init__: object


reached(Read)
