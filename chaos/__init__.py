"""Chaos tests: kill, disconnect and pause real processes under load, and check invariants after.

`make chaos`. Not part of the product.
"""
