# Its methods are made as text, of its fields' names: those of a TypedDict are any text.
# It was open once.
# stopped by: guard
# ends: refused
import dataclasses
import typing

Base = typing.TypedDict("Base", {"x=reached(1), **y": int})


class Made(Base):
    pass


reached(dataclasses.dataclass(Made))
