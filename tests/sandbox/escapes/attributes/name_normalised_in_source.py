# Letters that Python takes for others in source text: `__self__`.
# stopped by: policy
# ends: refused
reached(print.__ｓｅｌｆ__)
