"""Pure functions of JSON."""
