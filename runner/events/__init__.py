"""Topics and their logs of numbered events."""
