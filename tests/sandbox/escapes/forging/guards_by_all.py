# A list of public names that names the helpers of asserts.
# stopped by: policy
# ends: refused
def F():
    return 1


__all__ = ["F", "_holds_", "_why_", "__builtins__"]

# --- its test
assert F() == 2
