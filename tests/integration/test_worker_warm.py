"""What a worker has ready before it takes work."""

from tests.support.workers import worker_here

from coatcheck_core.settings import Settings
from coatcheck_core.synopsis.code.language import sign_pattern
from coatcheck_core.synopsis.code.languages import LANGUAGES


async def test_patterns_of_code_are_compiled_before_a_worker_takes_work(deployment: Settings) -> None:
    sign_pattern.cache_clear()
    async with worker_here(deployment):
        assert sign_pattern.cache_info().currsize == len(LANGUAGES)
