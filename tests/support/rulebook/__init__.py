"""The rules of election once more, sharing no code with the site."""
