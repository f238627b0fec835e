# Another program.
# stopped by: kernel
# ends: policy
os.execv("/bin/sh", ["sh", "-c", "echo reached"])
reached()
