"""Tests of exports and deletions of accounts."""
