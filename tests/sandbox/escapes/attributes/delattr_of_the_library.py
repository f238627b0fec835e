# Taking something away changes things too.
# stopped by: guard
# ends: refused
import json

delattr(json.JSONEncoder, "default")
reached(json)
