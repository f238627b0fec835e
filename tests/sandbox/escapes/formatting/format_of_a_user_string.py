# Str.format of a string in disguise.
# stopped by: guard
# ends: refused
from collections import UserString
reached(UserString('{0.__class__.__subclasses__}').format(1))
