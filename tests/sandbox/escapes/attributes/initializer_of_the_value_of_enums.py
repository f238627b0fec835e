# What makes the value of all enums, initialised once more.
# stopped by: guard
# ends: refused
import enum
import types

types.DynamicClassAttribute.__init__(vars(enum.Enum)["value"], lambda member: 7)
reached(enum.Enum)
