# All that a module has, of which nothing is out of reach by its name.
# stopped by: guard
# ends: refused
from json import *
from random import *

reached(_inst)
