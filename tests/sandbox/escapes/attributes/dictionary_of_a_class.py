# What a class holds, unguarded.
# stopped by: guard
# ends: refused
reached(str.__dict__["format"]("{0.__class__.__subclasses__}", 1))
