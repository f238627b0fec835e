"""Backups of the database: made, restored and verified."""
