"""Tests of kinds."""
