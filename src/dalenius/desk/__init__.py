"""From a specification to a decision and a folder: interview, specification, policy, session, explanation."""
