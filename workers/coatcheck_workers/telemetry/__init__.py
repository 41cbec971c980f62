"""How a worker is watched: what it counts, how it is asked for its health, its traces and the lines of its log."""
