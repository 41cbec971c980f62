"""The ports of the workers' HTTP servers, tried before anything is started."""

from collections.abc import Iterable

from ..telemetry.serving import HttpServer


async def check_free(host: str, ports: Iterable[int]) -> None:
    """Raises CannotListen for the first that is taken, or is none of this machine's."""
    for port in ports:
        server = HttpServer(lambda path, accept: None, host, port)
        await server.start()
        await server.close()
