"""The environment: engines, settings and the command that runs it all."""
