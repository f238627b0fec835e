# Methodcaller.
# stopped by: import
# ends: refused
import operator
reached(operator.methodcaller('__reduce__')(1))
