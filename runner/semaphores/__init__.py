"""Durable semaphores, deadlock detection and a demonstration."""
