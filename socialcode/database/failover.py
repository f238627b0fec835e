"""Several servers of one database, of which one is the primary."""

from typing import Any, NamedTuple

import psycopg

DEFAULT_PORT = "5432"


class Server(NamedTuple):
    """A server's host and port."""

    host: str
    port: str


def server_of(connection: psycopg.Connection[Any]) -> Server:
    """Return the server of a connection."""
    return Server(connection.info.host, str(connection.info.port))


def with_server_first(parameters: dict[str, Any], server: Server | None) -> dict[str, Any]:
    """Return connection parameters in which this server is the first one, if it is there.

    Servers are tried in order, and each that has vanished costs a timeout.
    """
    hosts = str(parameters.get("host", "")).split(",")
    ports = str(parameters.get("port", "")).split(",")
    if len(ports) == 1:
        ports *= len(hosts)
    servers = [Server(host, port or DEFAULT_PORT) for host, port in zip(hosts, ports, strict=True)]
    if server not in servers[1:]:
        return parameters
    servers.sort(key=lambda each: each != server)
    return {
        **parameters,
        "host": ",".join(each.host for each in servers),
        "port": ",".join(each.port for each in servers),
    }
