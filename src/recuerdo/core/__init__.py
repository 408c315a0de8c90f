"""What Recuerdo talks about: entities, errors and ports. Pure: no I/O and no framework."""
