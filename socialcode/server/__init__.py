"""The web server's protocols with limits per client, its request handler, and the supervisor."""
