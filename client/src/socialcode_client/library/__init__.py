"""Released functions, imported from a site without being installed."""
