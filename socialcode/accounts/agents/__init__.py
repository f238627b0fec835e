"""Agents: accounts of programs, made by people (`functions.models.Agent`)."""
