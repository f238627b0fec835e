"""Workers: claim, lease, execute, write, record, release."""
