# The subject as something else that can be called.
# stopped by: nothing to gain
# ends: failed
class Any:
    def __call__(self, *_):
        return 1

    def __getattr__(self, name):
        return self


F = Any()

# --- its test
assert F.whatever() == 2
