"""Changing one's user name."""
