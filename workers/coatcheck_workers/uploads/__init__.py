"""Results that come by an upload: in pieces, or put into the store by their producer."""
