# Defining reduce.
# stopped by: policy
# ends: refused
class A:
    def __reduce__(self): return (reached, (1,))
import copy
copy.copy(A())
