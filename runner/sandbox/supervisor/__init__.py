"""Starts the processes of runs, keeps them within their limits, and collects verdicts."""
