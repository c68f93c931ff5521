"""The use cases: load, call core, store. Every front end calls these and holds no rule itself."""
