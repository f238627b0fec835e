"""Accounts: signing up, in and out, tokens and suspensions."""
