"""What a listing costs, which `coatcheck_schemas.store.Store` does not say."""

from coatcheck_schemas.store import Store


def lists_from_anywhere(store: Store) -> bool:
    """Whether a listing costs what it gives, wherever it begins; of a folder each reads all of the names.

    A store may say so by an attribute of this name; without one it does.
    """
    return bool(getattr(store, "lists_from_anywhere", True))
