# A context manager tells its generator; that is no way to the frame.
# stopped by: guard
# ends: refused
from contextlib import contextmanager


@contextmanager
def f():
    yield


reached(getattr(f().gen, "gi_frame"))
