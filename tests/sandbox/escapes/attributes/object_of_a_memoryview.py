# Writing through memory.
# stopped by: guard
# ends: refused
memoryview(b'abc')[0] = 1
reached(memoryview(b'abc').obj.__class__.__subclasses__())
