"""Collections of JSON values: who may do what, and the use cases."""
