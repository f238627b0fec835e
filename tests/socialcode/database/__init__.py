"""The database's connections and migrations."""
