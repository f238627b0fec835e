"""Tables of programs in JavaScript."""
