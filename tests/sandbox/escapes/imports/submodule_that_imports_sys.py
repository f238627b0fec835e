# Submodules of the import machinery.
# stopped by: import
# ends: refused
import collections.abc as c
reached(c.sys)
