"""`make bench`: each figure beside its floor, measured in the same run. Quote the ratios: machines are noisy."""
