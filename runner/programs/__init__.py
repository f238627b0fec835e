"""Programs, their sources and their result rows."""
