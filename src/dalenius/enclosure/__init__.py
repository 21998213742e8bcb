"""Numbers that carry what rounding may have done to them. Outside this package nobody adds a unit in the last place."""
