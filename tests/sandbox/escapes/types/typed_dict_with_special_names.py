# A TypedDict is a class whose annotations are any names; a dataclass of it reads them.
# stopped by: guard
# ends: refused
import dataclasses
import typing

Base = typing.TypedDict("Base", {"__class__": object})


class Made(Base):
    pass


reached(dataclasses.dataclass(Made))
