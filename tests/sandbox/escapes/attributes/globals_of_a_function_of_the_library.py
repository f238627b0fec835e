# Globals of a library's function.
# stopped by: policy
# ends: refused
import textwrap
reached(textwrap.dedent.__globals__)
