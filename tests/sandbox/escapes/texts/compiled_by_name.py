# What compiles without looking.
# stopped by: policy
# ends: refused
reached(eval("compile('1', '', 'eval')"))
