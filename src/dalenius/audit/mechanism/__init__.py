"""What draws of somebody's mechanism prove about it: what it gives away at least."""
