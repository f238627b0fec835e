# What is refused in a program, in a text.
# stopped by: policy
# ends: refused
reached(eval("F.__globals__", {"F": reached}))
