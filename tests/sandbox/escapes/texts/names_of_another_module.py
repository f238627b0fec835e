# The names that the function's author keeps, written by a text of the test.
# stopped by: nothing to gain
# ends: passed
before = F.__name__
exec("reached = 5", globals())
assert F.__name__ == before and reached == 5
