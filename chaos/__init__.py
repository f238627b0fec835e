"""Chaos: real processes are killed, cut off and paused under load, and what they left is checked.

`make chaos`. Not part of the product.
"""
