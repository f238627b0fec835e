"""Commands: worker, sweep, sandbox_status."""
