"""Tracing as the settings say: OpenTelemetry is loaded only where it is enabled."""

from coatcheck_core.settings.operating import TracingSettings
from coatcheck_workers.flow.joining import Unusable

from .tracing import Sampling, Tracing


def open_tracing(settings: TracingSettings) -> Tracing | None:
    """None where it is not enabled. Raises Unusable where it is not installed."""
    if not settings.enabled:
        return None
    try:
        from .spans import exporting
    except ImportError as error:
        raise Unusable(
            f"tracing.enabled needs OpenTelemetry ({error}): pip install 'coatcheck[otel]', or set it to false"
        ) from error
    return exporting(Sampling(settings.sample_ratio, settings.max_per_second))
