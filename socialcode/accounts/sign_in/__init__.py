"""Signing in, up and out by django-allauth, with our rules, wording and mails."""
