"""What browser tests share."""
