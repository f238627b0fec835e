# An item of what isn't one's own, changed in place.
# stopped by: guard
# ends: refused
import string

string.Template["x"] += 1
reached(1)
