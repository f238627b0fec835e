# System calls that others make for one, past the filter.
# stopped by: kernel
# ends: policy
system_call(425, 8, 0)
reached()
