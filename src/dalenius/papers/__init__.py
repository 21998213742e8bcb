"""The five papers on worlds that can be listed: definitions, theorems with their status, counterexamples, attacks."""
