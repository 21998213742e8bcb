"""One question, one judge: how much the numbers that cover a group of people tell about one of them."""
