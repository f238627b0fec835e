"""Durable semaphores."""
