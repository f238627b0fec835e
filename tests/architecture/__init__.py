"""The shape of the code: what may import what, and where things may stand."""
