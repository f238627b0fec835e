"""Workers: claim programs, keep their leases, run them and write what comes of it."""
