# A module's attribute.
# stopped by: guard
# ends: refused
import enum
reached(enum.sys)
