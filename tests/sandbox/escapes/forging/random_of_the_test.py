# Seeding the common generator is allowed; a test that minds has one of its own.
# stopped by: nothing to gain
# ends: passed
import random


def F():
    random.seed(1)
    return random.random()


# --- its test
import random

assert F() == random.Random(1).random()
