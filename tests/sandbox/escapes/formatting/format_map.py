# Str.format_map.
# stopped by: guard
# ends: refused
reached('{a.__class__.__subclasses__}'.format_map({'a': 1}))
