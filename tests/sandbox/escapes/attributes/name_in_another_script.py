# Letters that Python takes for others in source text are others in a str.
# stopped by: guard
# ends: refused
reached(getattr(print, "__ｓｅｌｆ__"))
