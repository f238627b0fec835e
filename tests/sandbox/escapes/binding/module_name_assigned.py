# The module's name is told, never set: helpers of the library look modules up by it.
# stopped by: policy
# ends: refused
__name__ = "sys"
reached(1)
