# Enum's functional interface.
# stopped by: guard
# ends: refused
import enum
reached(enum.Enum('E', {'__getattribute__': 1}))
