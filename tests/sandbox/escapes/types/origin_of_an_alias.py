# Type through get_origin.
# stopped by: guard
# ends: refused
import typing
for t in (type[int], list[int]):
    o = typing.get_origin(t)
    if o is not type and o is not list: reached(o)
    if o is type: reached(o('X', (), {'__reduce__': reached}))
