"""TLS contexts made of the settings' files, for client and workers alike."""

import ssl
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from coatcheck_schemas.errors import InvalidInput

from .secret_files import read_bytes
from .tls import Tls

if TYPE_CHECKING:
    from ..settings.model import NatsSettings, StorageSettings


class TlsFiles(msgspec.Struct, frozen=True, kw_only=True):
    """PEM files by path, empty where there is none; `name` is what errors call each, by its field."""

    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""
    """Empty: the key is in `cert_file`."""
    keeps_system: bool = False
    """Whether the system's authorities are trusted beside those of `ca_file`."""
    name: str


class FileContext(ssl.SSLContext):
    """Goes by its files as they are at each connection, since certificates are replaced before they expire.

    They are taken all together or not at all: while one cannot be read, or a certificate has come without its key yet,
    it stays with those before.
    """

    _files: TlsFiles
    _read: tuple[bytes, ...]
    """The digests of what was loaded last."""
    _now: ssl.SSLContext | None = None
    """What has been loaded since the first time: nothing can be taken out of a context again."""

    def wrap_bio(self, *args: Any, **kwargs: Any) -> ssl.SSLObject:
        with suppress(InvalidInput):  # who renews them may be writing; the handshake tells soon enough
            self._renew()
        return super().wrap_bio(*args, **kwargs) if self._now is None else self._now.wrap_bio(*args, **kwargs)

    def _renew(self) -> None:
        read = _digests(self._files)
        if read != self._read:
            fresh = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            _load(fresh, self._files)
            self._now, self._read = fresh, read


def context_of(files: TlsFiles) -> ssl.SSLContext:
    """A client's context: names are checked, and certificates by the authorities of the file, else the system's.

    Raises InvalidInput for a file that cannot be read or is none, naming it and never showing what is in it.
    """
    context = FileContext(ssl.PROTOCOL_TLS_CLIENT)
    context._files, context._read = files, _digests(files)
    _load(context, files)
    return context


def tls_of(nats: "NatsSettings") -> Tls | None:
    """How the settings secure a connection to NATS; None where they leave it to URL and server.

    Raises InvalidInput where a file is wrong.
    """
    if not (nats.tls_ca_file or nats.tls_cert_file or nats.tls_first):
        return None
    files = TlsFiles(
        ca_file=nats.tls_ca_file, cert_file=nats.tls_cert_file, key_file=nats.tls_key_file, name="nats.tls_{}"
    )
    return Tls(context=context_of(files), first=nats.tls_first)


def storage_tls_of(storage: "StorageSettings") -> ssl.SSLContext | None:
    """How the settings secure requests to object storage; None is as the system does it. Raises InvalidInput."""
    if not storage.ca_file:
        return None
    return context_of(TlsFiles(ca_file=storage.ca_file, keeps_system=True, name="storage.{}"))


def _digests(files: TlsFiles) -> tuple[bytes, ...]:
    """Of what is in each file: a look at the files costs a hundredth of loading them."""
    paths = {"ca_file": files.ca_file, "cert_file": files.cert_file, "key_file": files.key_file}
    named = [(path, f"{files.name.format(field)} {path}") for field, path in paths.items() if path]
    return tuple(sha256(read_bytes(path, where)).digest() for path, where in named)


def _load(context: ssl.SSLContext, files: TlsFiles) -> None:
    if files.keeps_system or not files.ca_file:
        context.load_default_certs()
    if files.ca_file:
        where = f"{files.name.format('ca_file')} {files.ca_file}"
        try:
            context.load_verify_locations(files.ca_file)
        except ssl.SSLError:
            raise InvalidInput(f"{where} has no certificate in PEM that can be read") from None
        except (OSError, ValueError) as error:  # the second for a path with a zero byte
            raise InvalidInput(f"{where} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if files.cert_file:
        _load_own(context, files)


def _load_own(context: ssl.SSLContext, files: TlsFiles) -> None:
    where = f"{files.name.format('cert_file')} {files.cert_file}"
    if files.key_file:
        where += f" with {files.name.format('key_file')} {files.key_file}"

    def locked() -> NoReturn:
        # Without this OpenSSL would ask for the password at the terminal.
        raise InvalidInput(f"{where}: the key is locked by a password: unlock it (`openssl pkey`)")

    try:
        context.load_cert_chain(files.cert_file, files.key_file or None, password=locked)
    except ssl.SSLError as error:
        if "MISMATCH" in (error.reason or ""):
            raise InvalidInput(f"{where}: the key is not the certificate's") from None
        raise InvalidInput(f"{where}: there is no certificate with its key in PEM that can be read") from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{where} cannot be read: {getattr(error, 'strerror', None) or error}") from None
