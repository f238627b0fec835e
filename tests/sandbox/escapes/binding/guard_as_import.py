# Names shadowing guards by an import.
# stopped by: policy
# ends: refused
import math as _write_
reached(1)
