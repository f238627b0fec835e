# The zygote's memory, by ptrace.
# stopped by: kernel
# ends: policy
system_call(101, 16, os.getppid(), 0, 0)
reached()
