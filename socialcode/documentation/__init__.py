"""The documentation site, built from `docs/` by MkDocs and served below /docs/."""
