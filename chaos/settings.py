"""The settings of the tested processes, on one host or several."""

# Short, for fast recovery; long enough for a busy machine.
LEASE_SECONDS = 4
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "socialcode.settings",
    "SECRET_KEY": "for-chaos-only-" * 4,
    "SOCIALCODE_DATABASE_POOL": "0",
    "SOCIALCODE_LEASE_SECONDS": str(LEASE_SECONDS),
    "SOCIALCODE_RATE_LIMITS": "0",
    "SOCIALCODE_DEVELOPMENT": "0",
    "SOCIALCODE_SECURE": "0",
    "SOCIALCODE_COLLECTED_STATIC": "0",
    # All clients have one address.
    "SOCIALCODE_SOCKETS_PER_ADDRESS": "10000",
    "SOCIALCODE_CONNECTIONS_PER_ADDRESS": "20000",
    "SOCIALCODE_LOG_LEVEL": "WARNING",
    "PYTHONUNBUFFERED": "1",
}
