# A file system of one's own.
# stopped by: kernel
# ends: policy
system_call(165, 0, 0, 0, 0, 0)
reached()
