"""Acts of owners and staff, comments and flags."""
