"""Jobs: work that a process takes with a lease, and that another process continues when the first one dies."""
