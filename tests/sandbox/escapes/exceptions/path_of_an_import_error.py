# An ImportError tells names that its raiser gave.
# stopped by: nothing to gain
# ends: passed
try:
    import math
    from math import nope
except ImportError as error:
    assert error.path is None
