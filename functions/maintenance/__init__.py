"""Periodic jobs and operators' commands."""
