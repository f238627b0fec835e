"""Webhooks: events are announced, written down for each receiver, signed and sent."""
