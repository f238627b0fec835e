"""Signing in with accounts at other sites, by OpenID Connect."""
