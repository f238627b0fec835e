"""The language of programs: compilation, policy, importable modules and their environment."""
