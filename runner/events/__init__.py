"""Topics: their logs of numbered events, and the signals that follow them."""
