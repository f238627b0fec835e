# The machinery itself.
# stopped by: policy
# ends: refused
import importlib.util

reached(importlib)
