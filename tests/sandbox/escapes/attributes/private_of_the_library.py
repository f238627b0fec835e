# Private attributes of others.
# stopped by: guard
# ends: refused
import random
reached(random.Random()._randbelow)
