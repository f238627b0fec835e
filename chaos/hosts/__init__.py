"""The site on several hosts, each a network namespace, with faults of whole hosts.

`make chaos-hosts`. Needs no root: everything is inside a user namespace.
"""
