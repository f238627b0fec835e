# What is on the machine.
# stopped by: kernel
# ends: passed
values["answer"] = attempt(lambda: open("/etc/passwd"))
reached() if values["answer"] == "allowed" else None
