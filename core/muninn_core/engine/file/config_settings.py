"""The settings of a work tree: every key with its value and origin, and changes of `.muninn/config.yaml`."""

from __future__ import annotations

from typing import Any

from muninn_core.config import OWN_SETTINGS, Config, read_config
from muninn_core.config import edit as config_edit
from muninn_core.config.description import Key, first_sentence, format_value, sections
from muninn_core.config.parser import MAX_CONFIG_BYTES, key_lines, parse_value
from muninn_core.errors import BadParams, NotFoundError
from muninn_core.near_match import did_you_mean, nearest
from muninn_core.protocol.families.repository import ConfigEntry, ConfigListParams, ConfigListResult, ConfigResult
from muninn_core.regular_file import read_regular
from muninn_core.store.files.disk import write_atomic
from muninn_core.worktree.workspace import Workspace


def list_settings(workspace: Workspace, params: ConfigListParams) -> ConfigListResult:
    """Return the keys with their values. Raises NotFoundError for an unknown section."""
    names = [section.name for section in sections()]
    if params.section and params.section not in names:
        hint = did_you_mean(params.section, names, f"The sections are {', '.join(names)}.")
        raise NotFoundError(f"there is no section '{params.section}'", hint=hint)
    text = _text(workspace)
    wanted = [key for section in sections() if params.section in ("", section.name) for key in section.keys]
    entries = [_entry(workspace, key, text) for key in wanted]
    problems = [
        f"{each.message}. {each.hint}" for each in (*workspace.settings.problems, *workspace.settings.own_problems)
    ]
    return ConfigListResult(
        entries=tuple(each for each in entries if not params.changed or each.origin != "default"),
        problems=tuple(problems),
        saw=workspace.read_state(),
    )


def show_setting(workspace: Workspace, name: str) -> ConfigResult:
    """Return a key with its value. Raises NotFoundError, which names the nearest key."""
    entry = _entry(workspace, _key(name), _text(workspace))
    return ConfigResult(entry=entry, saw=workspace.read_state())


def set_setting(workspace: Workspace, name: str, value: str) -> ConfigResult:
    """Set a key in the file. Raises NotFoundError for the key, and BadParams for a value that it does not take."""
    key = _key(name)
    try:
        parsed = parse_value(key, value)
        text = config_edit.set_value(_text(workspace), key, parsed)
    except ValueError as error:
        hint = f"It takes {key.takes}; the default is {format_value(key.default)}."
        raise BadParams(str(error), hint=hint) from None
    if _value(read_config(text)[0], key) != parsed:
        raise BadParams(f"the file can't be changed so that '{name}' applies", hint="Edit .muninn/config.yaml by hand.")
    return _write(workspace, key, text)


def unset_setting(workspace: Workspace, name: str) -> ConfigResult:
    """Remove a key from the file. Raises NotFoundError, and BadParams for a file that can't be edited."""
    key = _key(name)
    try:
        text = config_edit.unset_value(_text(workspace), key)
    except ValueError as error:
        raise BadParams(str(error), hint="Edit .muninn/config.yaml by hand.") from None
    return _write(workspace, key, text)


def _write(workspace: Workspace, key: Key, text: str) -> ConfigResult:
    path = workspace.layout.config
    changed = text != _text(workspace)
    if changed:
        write_atomic(path, text.encode(), tracked=True)
        workspace.files_changed({str(path)})
    return ConfigResult(entry=_entry(workspace, key, text), changed=changed, saw=workspace.read_state())


def _text(workspace: Workspace) -> str:
    """Return the text of the file, "" without one. Raises BadParams for a file that is not UTF-8."""
    try:
        return read_regular(workspace.layout.config, MAX_CONFIG_BYTES).decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadParams(f".muninn/config.yaml can't be read: {error}", hint="Correct it by hand.") from None


def _key(name: str) -> Key:
    known = {f"{key.section}.{key.name}": key for section in sections() for key in section.keys}
    if name not in known:
        bare = [full for full, key in known.items() if key.name == name]
        near = bare[0] if bare else nearest(name, known)
        hint = f"Did you mean '{near}'?" if near else "`muninn config` lists the keys."
        raise NotFoundError(f"there is no key '{name}'", hint=hint)
    return known[name]


def _value(config: Config, key: Key) -> Any:
    return getattr(getattr(config, key.section), key.name)


def _entry(workspace: Workspace, key: Key, text: str) -> ConfigEntry:
    value = _value(workspace.config, key)
    line = key_lines(text).get((key.section, key.name), 0)
    if value != _value(read_config(text)[0], key):
        origin = OWN_SETTINGS
    else:
        origin = f".muninn/config.yaml:{line}" if line else "default"
    return ConfigEntry(
        key=f"{key.section}.{key.name}",
        value=format_value(value),
        default=format_value(key.default),
        origin=origin,
        about=first_sentence(key.about),
        takes=key.takes,
    )
