"""Model Context Protocol: what language models can do here, as tools over the REST API."""
