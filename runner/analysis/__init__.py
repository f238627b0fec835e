"""Analyses of source text, in confined processes outside of the web servers."""
