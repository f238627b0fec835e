"""Networks of client addresses, for limits."""

import ipaddress


def network_of(address: str) -> str:
    """Return the network that one client controls: the IPv4 address, or the IPv6 /64 network."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is None:
        return str(ipaddress.ip_network((ip, 64), strict=False))
    return address
