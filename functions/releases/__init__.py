"""Files of releases: built after the elections that record them."""
