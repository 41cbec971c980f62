"""`$SRV.PING`, `INFO` and `STATS`: how NATS's own tools find the workers, what they answer, and how they fare."""
