# The same for reading private attributes, by the alias that `list[int]` is.
# stopped by: guard
# ends: refused
import random


class Alias(type(list[int])):
    pass


reached(Alias(random.Random, int)._randbelow)
