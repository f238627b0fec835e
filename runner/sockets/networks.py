"""Addresses of clients, as limits count them."""

import ipaddress


def network_of(address: str) -> str:
    """Return what one customer of a provider has: an IPv4 address, or 2**64 of IPv6."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is None:
        return str(ipaddress.ip_network((ip, 64), strict=False))
    return address
