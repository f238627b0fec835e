"""Fuzzing of what reads hostile bytes: `make fuzz`. Not part of the product."""
