# The initializer of a dataclass, taken from what its class holds, past the guard of its name.
# stopped by: guard
# ends: refused
import json
from dataclasses import dataclass


@dataclass
class Write:
    iterencode: object


Write.__dict__["__init__"](json.JSONEncoder, None)
reached(json.JSONEncoder)
