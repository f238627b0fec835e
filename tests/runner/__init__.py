"""Tests of the machinery."""
