"""How messages reach the FastStream subscribers: results by an own pull, requests side by side."""
