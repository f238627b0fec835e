# Leaving by the very last statement is no way to end well what didn't.
# stopped by: guard
# ends: refused
import sys

sys.exit(1)
