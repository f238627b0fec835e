"""Which Python programs are written in: what can be imported, what is refused, and compiling."""
