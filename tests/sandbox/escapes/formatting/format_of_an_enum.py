# A str that is an enum's member.
# stopped by: guard
# ends: refused
import enum


class E(enum.StrEnum):
    A = "{0.__class__.__subclasses__}"


reached(E.A.format(1))
