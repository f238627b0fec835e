# Writing through memory.
# stopped by: policy
# ends: refused
reached(memoryview(b'abc').obj.__class__.__base__)
