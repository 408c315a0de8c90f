"""Portuguese, of Brazil and of Portugal."""
