"""Master keys and data keys as ciphers: AES-256-GCM with synthetic nonces."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable, Sequence
from datetime import datetime
from secrets import token_bytes, token_hex
from typing import NamedTuple, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from recuerdo.core.encryption import DataKey
from recuerdo.core.errors import ConfigurationError, DataKeyMissing, RecuerdoError
from recuerdo.core.identifiers import measured

_KEY_BYTES = 32
_NONCE_BYTES = 12
_MARK = b"\x00rcd1"
"""How sealed bytes begin. No JSON, no packed checkpoint and no vector of unit length begins like this."""

_TEXT_MARK = "\x02sealed:"
_ID_END = len(_MARK) + 8


class Unsealable(RecuerdoError):
    """Sealed bytes that this key did not seal for this place: damaged, forged or moved. Wrappers name the row."""


class NoDataKey(RecuerdoError):
    """The tenant has no data key yet; see Keyring.sealing."""


class DataCipher:
    """One data key at work.

    A nonce is made of the place and the text, by a key of its own (as in SIV): equal texts of one place give equal
    ciphertexts, which databases can compare, and no nonce is used for two texts.
    """

    def __init__(self, key_id: str, secret: bytes) -> None:
        self.id = key_id
        self._head = _MARK + bytes.fromhex(key_id)
        self._cipher = AESGCM(_derived(secret, b"texts"))
        self._nonces = _derived(secret, b"nonces")
        self._digests = _derived(secret, b"digests")

    def seal(self, place: bytes, data: bytes) -> bytes:
        """The data, encrypted and bound to the place."""
        nonce = hmac.digest(self._nonces, b"%d:%b%b" % (len(place), place, data), "sha256")[:_NONCE_BYTES]
        return self._head + nonce + self._cipher.encrypt(nonce, data, place)

    def open(self, place: bytes, sealed: bytes) -> bytes:
        """The data. Raises Unsealable."""
        start = _ID_END + _NONCE_BYTES
        try:
            return self._cipher.decrypt(sealed[_ID_END:start], sealed[start:], place)
        except (InvalidTag, ValueError):
            raise Unsealable("It can't be decrypted: it was damaged, or belongs to another place.") from None

    def digest(self, data: bytes) -> bytes:
        """A keyed digest of the data."""
        return hmac.digest(self._digests, data, "sha256")


class Ciphers:
    """The data keys of one tenant, the oldest first. Data that was never sealed passes through unchanged."""

    def __init__(self, tenant: str, ciphers: Sequence[DataCipher]) -> None:
        self.tenant = tenant
        self._by_id = {cipher.id: cipher for cipher in ciphers}
        self._all = [*ciphers]

    @property
    def is_empty(self) -> bool:
        """Whether the tenant has no key: nothing of it is sealed."""
        return not self._all

    @property
    def current(self) -> DataCipher:
        """The newest, which seals. Raises NoDataKey."""
        if not self._all:
            raise NoDataKey(f"The tenant {self.tenant!r} has no data key.")
        return self._all[-1]

    def place(self, *parts: str) -> bytes:
        """Return the associated data of a sealed text: the tenant, and the text's kind and owner."""
        return measured(self.tenant, *parts)

    def seal(self, place: bytes, data: bytes) -> bytes:
        """The data, sealed with the newest key."""
        return self.current.seal(place, data)

    def open(self, place: bytes, data: bytes) -> bytes:
        """Open sealed data, with any of the keys. Raises DataKeyMissing and Unsealable."""
        if not data.startswith(_MARK):
            return data
        key_id = data[len(_MARK) : _ID_END].hex()
        cipher = self._by_id.get(key_id)
        if cipher is None:
            raise DataKeyMissing(key_id)
        return cipher.open(place, data)

    def seal_text(self, place: bytes, text: str) -> str:
        """The text, sealed as a text."""
        return _as_text(self.current.seal(place, text.encode()))

    def open_text(self, place: bytes, text: str) -> str:
        """Open a sealed text. Raises as `open`."""
        if not text.startswith(_TEXT_MARK):
            return text
        return self.open(place, unwrapped(text.removeprefix(_TEXT_MARK).encode())).decode()

    def forms(self, place: bytes, text: str) -> list[str]:
        """How the text may stand in a row: sealed with each key, the newest first, or not at all."""
        return [*(_as_text(each.seal(place, text.encode())) for each in reversed(self._all)), text]

    def byte_forms(self, place: bytes, data: bytes) -> list[bytes]:
        """How the bytes may stand in a row: sealed with each key, the newest first, or not at all."""
        return [*(each.seal(place, data) for each in reversed(self._all)), data]

    def digest(self, data: bytes) -> bytes:
        """A digest that stays the same when newer keys come."""
        return self._all[0].digest(data)

    def is_current(self, data: bytes) -> bool:
        """Whether the bytes are sealed with the newest key."""
        return data.startswith(_MARK) and data[len(_MARK) : _ID_END].hex() == self.current.id


def wrapped(sealed: bytes) -> bytes:
    """Sealed bytes as base64."""
    return binascii.b2a_base64(sealed, newline=False)


def unwrapped(text: bytes) -> bytes:
    """The sealed bytes of `wrapped`. Raises Unsealable."""
    try:
        return binascii.a2b_base64(text, strict_mode=True)
    except binascii.Error:
        raise Unsealable("It is not base64.") from None


def _as_text(sealed: bytes) -> str:
    return _TEXT_MARK + wrapped(sealed).decode()


class MasterKey(NamedTuple):
    """A key that wraps data keys. The id is made of the secret, and tells nothing of it."""

    id: str
    secret: bytes

    @classmethod
    def of(cls, secret: bytes) -> Self:
        """The key with this secret."""
        return cls(hashlib.sha256(b"recuerdo master key" + secret).hexdigest()[:16], secret)


class MasterKeys:
    """The master keys that a process knows. The first wraps; the others unwrap data keys that are not rotated yet."""

    def __init__(self, keys: Sequence[MasterKey]) -> None:
        self._keys = {key.id: AESGCM(key.secret) for key in keys}
        self.first = keys[0].id

    @classmethod
    def read(cls, text: str) -> Self:
        """Keys as a setting has them: base64 of 32 bytes each, separated by commas or white space.

        Raises ConfigurationError, which doesn't repeat them.
        """
        secrets = [_secret(each) for each in text.replace(",", " ").split()]
        if not secrets:
            raise ConfigurationError("The encryption key is empty. Make one with `recuerdo encryption key`.")
        return cls([MasterKey.of(secret) for secret in secrets])

    @property
    def ids(self) -> list[str]:
        """The keys' ids, in the order of the setting."""
        return [*self._keys]

    def make(self, tenant: str, number: int, at: datetime) -> DataKey:
        """A new data key."""
        key = DataKey(tenant, number, token_hex(8), self.first, b"", at)
        return self._wrap(key, token_bytes(_KEY_BYTES))

    def rewrap(self, key: DataKey) -> DataKey:
        """The key, wrapped by the first master key. Raises ConfigurationError."""
        return self._wrap(key, self._unwrap(key))

    def ciphers(self, tenant: str, keys: Iterable[DataKey]) -> Ciphers:
        """The tenant's keys at work. Raises ConfigurationError."""
        return Ciphers(tenant, [DataCipher(key.id, self._unwrap(key)) for key in keys])

    def _wrap(self, key: DataKey, secret: bytes) -> DataKey:
        nonce = token_bytes(_NONCE_BYTES)
        sealed = self._keys[self.first].encrypt(nonce, secret, _name(key))
        return key._replace(master=self.first, wrapped=nonce + sealed)

    def _unwrap(self, key: DataKey) -> bytes:
        cipher = self._keys.get(key.master)
        if cipher is None:
            raise ConfigurationError(
                f"Data keys of this database are wrapped by the master key {key.master}, which is not in "
                "RECUERDO_ENCRYPTION_KEY. Add it after the current one, and see `recuerdo encryption status`."
            )
        try:
            return cipher.decrypt(key.wrapped[:_NONCE_BYTES], key.wrapped[_NONCE_BYTES:], _name(key))
        except (InvalidTag, ValueError):
            raise ConfigurationError(
                f"The data key {key.id} can't be unwrapped: its row was changed. Restore it from a backup."
            ) from None


def new_master_key() -> str:
    """A new master key, as settings have it."""
    return base64.b64encode(token_bytes(_KEY_BYTES)).decode()


def _secret(text: str) -> bytes:
    try:
        secret = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        secret = b""
    if len(secret) != _KEY_BYTES:
        raise ConfigurationError(
            f"An encryption key must be {_KEY_BYTES} bytes in base64. Make one with `recuerdo encryption key`."
        )
    return secret


def _name(key: DataKey) -> bytes:
    """Return the associated data of a wrapped key."""
    return measured(key.tenant, str(key.number), key.id)


def _derived(secret: bytes, purpose: bytes) -> bytes:
    return hmac.digest(secret, b"recuerdo " + purpose, "sha256")
