"""How caches work here, without a driver: keys, what a snapshot can answer, the tiers, single flight, the breaker."""
