"""The product: functions, implementations, tests, votes and pages."""
