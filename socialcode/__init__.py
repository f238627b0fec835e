"""Composes the site: settings, addresses, sockets, accounts and the engines it runs on."""
