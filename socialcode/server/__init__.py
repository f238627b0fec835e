"""The web server: HTTP and WebSocket protocols with limits for each client, and its processes."""
