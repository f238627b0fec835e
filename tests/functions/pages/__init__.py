"""Pages: Jinja2 templates, judged by tests, and served apart from the site."""
