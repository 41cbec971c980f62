"""Results in object storage: stored once and whole, renewed, refused where they were deleted, and undone."""
