"""The system's keychain. The only importer of keyring, which is the extra `keychain`."""

from __future__ import annotations

from typing import Any

from muninn_core.errors import ModelError

SERVICE = "muninn"


def read(name: str) -> str | None:
    """Return the stored key of a route, or None. Raises ModelError when the system has no keychain."""
    keyring, failure = _keyring()
    try:
        found = keyring.get_password(SERVICE, name)
    except failure as error:
        raise ModelError(
            f"the keychain can't be read: {error}", hint="Unlock it, or use another form of 'key'."
        ) from None
    return str(found) if found else None


def write(name: str, key: str) -> None:
    """Store the key of a route. Raises ModelError where there is no keychain."""
    keyring, failure = _keyring()
    try:
        keyring.set_password(SERVICE, name, key)
    except failure as error:
        raise ModelError(f"the keychain can't store it: {error}", hint="Unlock it, or leave --keychain out.") from None


def _keyring() -> tuple[Any, type[Exception]]:
    """Return the library and its base of errors. Raises ModelError when it is missing or finds no keychain."""
    try:
        import keyring
        from keyring.backends import fail, null
        from keyring.errors import KeyringError
    except ImportError:
        raise ModelError(
            "the package 'keyring' is not installed", hint="Install muninn-memory[keychain], or use 'env:' or 'prompt'."
        ) from None
    if isinstance(keyring.get_keyring(), (fail.Keyring, null.Keyring)):
        raise ModelError("this system has no keychain", hint="Use `key: env:MUNINN_KEY_NAME` or `key: prompt`.")
    return keyring, KeyringError
