"""Analyses of source text in confined processes; web servers run none themselves."""
