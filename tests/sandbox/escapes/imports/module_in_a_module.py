# A module of a module.
# stopped by: import
# ends: refused
from dataclasses import sys
reached(sys)
