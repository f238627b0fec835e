# Type through typing.
# stopped by: import
# ends: refused
import typing
reached(typing.Type('X', (), {'__reduce__': reached}))
