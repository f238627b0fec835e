# Importing by the back door.
# stopped by: policy
# ends: refused
__builtins__['__import__']('os')
