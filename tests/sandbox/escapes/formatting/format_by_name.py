# Str.format by name.
# stopped by: guard
# ends: refused
reached(getattr('{0.__class__.__subclasses__}', 'format')(1))
