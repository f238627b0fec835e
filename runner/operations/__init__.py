"""Operations: sweeper, retention, health, liveness, metrics and system checks."""
