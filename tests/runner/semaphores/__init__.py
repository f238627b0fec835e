"""Semaphores."""
