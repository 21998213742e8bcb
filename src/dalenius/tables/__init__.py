"""Several tables of the same people: who is in which number, and how much all of them tell together."""
