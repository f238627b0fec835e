# Causes that go round in a circle.
# stopped by: nothing to gain
# ends: error
a, b = ValueError("a"), ValueError("b")
try:
    raise a from b
except ValueError:
    raise b from a
