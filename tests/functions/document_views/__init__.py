"""Views over documents."""
