"""Fuzzing of parsers of hostile bytes: `make fuzz`. Not part of the product."""
