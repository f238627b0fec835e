"""The product: functions, what people write for them, and the rules between."""
