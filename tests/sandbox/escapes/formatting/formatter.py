# String.Formatter.
# stopped by: import
# ends: refused
import string
reached(string.Formatter().format('{0.__self__}', print))
