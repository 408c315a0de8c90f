"""Spanish, of Latin America with its vos, and of Spain."""
