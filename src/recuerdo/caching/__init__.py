"""Caches, without a driver: two tiers, snapshots of threads, and what keeps both true."""
