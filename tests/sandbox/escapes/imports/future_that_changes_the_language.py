# A feature of the future is what the compiler's flags are changed by.
# stopped by: policy
# ends: refused
from __future__ import barry_as_FLUFL

reached(barry_as_FLUFL)
