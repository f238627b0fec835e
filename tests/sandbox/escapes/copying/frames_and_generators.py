# Generators can't be copied, so their frames can't either.
# stopped by: guard
# ends: refused
import copy

reached(copy.copy(n for n in ()))
