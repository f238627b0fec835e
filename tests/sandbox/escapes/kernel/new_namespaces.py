# A namespace in which one is root.
# stopped by: kernel
# ends: policy
system_call(272, 0x10000000)
reached()
