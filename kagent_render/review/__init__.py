"""Review by meaning: what two sides of a repository say of an agent, compared, judged and written."""
