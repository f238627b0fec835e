# Names shadowing guards by an exception.
# stopped by: policy
# ends: refused
try:
    1/0
except Exception as _write_:
    reached(1)
