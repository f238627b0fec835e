# A text that is run as examples.
# stopped by: guard
# ends: refused
import doctest

doctest.run_docstring_examples(">>> reached(1)", globals())
