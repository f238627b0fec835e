# Text where typing wants a type becomes a reference, which nobody evaluates.
# stopped by: nothing to gain
# ends: passed
import typing

T = typing.TypeVar("T", bound="reached(1)")
typing.Optional["reached(1)"]
typing.NewType("N", "reached(1)")
typing.TypedDict("D", {"x": "reached(1)"})
typing.NamedTuple("N", [("x", "reached(1)")])
