# That of a dataclass even sets names of one's choice: here the method that encodes verdicts.
# It was open once.
# stopped by: guard
# ends: refused
import json
from dataclasses import dataclass


@dataclass
class Write:
    iterencode: object


def forge(self, value, _one_shot=False):
    reached(value)
    return ["{}"]


Write.__init__(json.JSONEncoder, forge)
reached(json.JSONEncoder)
