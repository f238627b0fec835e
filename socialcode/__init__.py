"""Composes the site: settings, URLs, sockets, accounts and embedded engines."""
