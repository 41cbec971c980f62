"""Which messages may have killed the workers that held them."""

UNEXPLAINED_DELIVERIES = 3


def is_suspect(deliveries: int, own_failures: int) -> bool:
    """Whether to decide a message alone, in a process that may die.

    Each failure of its own sent it back once, and so explains one delivery. The first is explained too; from the third
    on that nothing explains, workers have died with this message in hand, by its doing or a neighbour's.
    """
    return deliveries - own_failures >= UNEXPLAINED_DELIVERIES
