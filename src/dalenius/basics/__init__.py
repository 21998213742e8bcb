"""What everything stands on: errors, limits of what is brought from outside, patience, files that somebody names."""
