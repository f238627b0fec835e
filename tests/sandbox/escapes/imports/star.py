# All that a module has.
# stopped by: policy
# ends: refused
from json import *

reached(dumps)
