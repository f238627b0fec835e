"""Periodic jobs and operators' jobs."""
