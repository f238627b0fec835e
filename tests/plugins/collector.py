"""Spares Python's collector of garbage what stays to the end: all that is imported, all tests."""

import gc

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Leave it off while tests are collected: nearly all of what is made then stays."""
    gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Turn it on for what comes now."""
    gc.collect()
    gc.freeze()
    gc.enable()
