# An import whose name here is the builtins'.
# stopped by: policy
# ends: refused
import math as __builtins__

reached(math)
