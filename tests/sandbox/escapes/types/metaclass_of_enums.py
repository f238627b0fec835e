# The metaclass of enums.
# stopped by: import
# ends: refused
import enum
reached(enum.EnumType('X', (), {}))
