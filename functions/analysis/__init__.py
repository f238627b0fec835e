"""Analyses of users' source in confined processes."""
