"""Examples of library features that the product does not use."""
