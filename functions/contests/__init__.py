"""Contests: a function's works, election rules, cells and programs."""
