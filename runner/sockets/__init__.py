"""WebSockets: the only package that knows connections."""
