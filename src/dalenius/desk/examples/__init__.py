"""A synthetic health survey, and the specifications that the demo runs."""
