# Names shadowing guards by with.
# stopped by: policy
# ends: refused
from contextlib import nullcontext
with nullcontext() as _write_: reached(1)
