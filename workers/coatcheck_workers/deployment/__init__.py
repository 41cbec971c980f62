"""What a deployment says of itself: its workers, the queue and the streams, as `doctor` and `top` ask them."""
