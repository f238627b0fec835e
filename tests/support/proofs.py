"""Proof that somebody is who they say, which sensitive pages ask for."""

import time

from django.test import Client


def prove(client: Client) -> Client:
    """Have the client's user just have shown who they are; works without a password, too."""
    session = client.session
    session["account_authentication_methods"] = [
        {"method": "socialaccount", "at": time.time(), "reauthenticated": True}
    ]
    session["account_authentication_methods_user"] = session["_auth_user_id"]
    session.save()
    return client
