"""Second factors: one-time codes, passkeys and recovery codes."""
