"""What people and machines read: text, tables, certificates."""
