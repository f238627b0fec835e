"""Template tags of the product."""
