# A stack of contexts is left by running out of memory, and another callback keeps that.
# stopped by: guard
# ends: memory_limit
import contextlib

with contextlib.ExitStack() as stack:
    stack.push(lambda *_: True)
    stack.callback(lambda: [0] * 10**9)
