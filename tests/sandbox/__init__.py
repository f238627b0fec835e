"""What the sandbox promises: the language, the verdicts, the limits and the walls."""
