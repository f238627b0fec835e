# A random generator's state is checked by the generator.
# stopped by: nothing to gain
# ends: passed
import random

generator = random.Random(1)
for state in ((3, (1, 2), None), (3, (0,) * 625, "x"), (9, (), None), None):
    try:
        generator.setstate(state)
    except (ValueError, TypeError):
        pass
0 <= generator.random() < 1
