"""`make demo`: the whole path on this machine, with real output of real commands."""
