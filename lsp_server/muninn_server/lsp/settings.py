"""The editor's settings: how lenses are shown, and whether source files have diagnostics."""

from __future__ import annotations

from typing import Any, Literal

from muninn_core.model.value import Value

SECTION = "muninn"

LensMode = Literal["lens", "inlay", "off"]
_MODES: tuple[LensMode, ...] = ("lens", "inlay", "off")


class Settings(Value):
    """`lens`: code lenses, inlay hints in their place, or neither. `diagnostics`: whether source files have any."""

    lens: LensMode = "lens"
    diagnostics: bool = True


def settings_of(given: Any, before: Settings) -> Settings:
    """Return the settings that a client sends, alone or under `muninn`. Missing or invalid ones keep their value."""
    plain = given.get(SECTION, given) if isinstance(given, dict) else {}
    if not isinstance(plain, dict):
        return before
    lens, diagnostics = plain.get("lens"), plain.get("diagnostics")
    mode = next((each for each in _MODES if each == lens), before.lens)
    return Settings(lens=mode, diagnostics=diagnostics if isinstance(diagnostics, bool) else before.diagnostics)
