"""Pure functions of JSON: values, merges, deltas, schemas, queries and mappings."""
