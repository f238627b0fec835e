"""Analyses of source text in confined processes, for web servers, which do none themselves."""
