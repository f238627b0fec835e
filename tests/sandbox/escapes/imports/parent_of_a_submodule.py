# A submodule may be imported; its parent then has no more than it offers.
# stopped by: import
# ends: refused
import collections.abc

reached(collections.abc.sys)
