"""`python -m bench masking DIR...`: counts what is masked in source files, and measures the time of masking.

Source files hold next to no secrets, so that nearly every replacement is a false alarm. Half of the files, chosen by
the hash of their paths, can be held out while rules are developed: `--half a`, then `--half b`.

`python -m bench masking --rules FILE` masks samples of the rules of gitleaks' configuration (`config/gitleaks.toml` of
its repository), and prints the rules of which some sample keeps its key.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

from bench.harness.key_samples import read_rules, samples
from muninn_core.store.secrets.masking import mask

_ENDINGS = frozenset(
    [
        *(".c", ".cfg", ".go", ".h", ".java", ".js", ".json", ".kt", ".md", ".mjs", ".php", ".py", ".rb", ".rs", ".sh"),
        *(".tf", ".toml", ".ts", ".yaml", ".yml"),
    ]
)
SAMPLES = 20
"""Samples of each rule."""

_MOST_BYTES = 400_000
_LONGEST_LINE = 2_000
"""Files with longer lines are data or minified."""


def main(arguments: list[str]) -> int:
    """Print each masked line, then the number of lines, replacements and the processor time by kilobyte."""
    parser = argparse.ArgumentParser(prog="python -m bench masking", description="Count what is masked in source.")
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR")
    parser.add_argument("--rules", type=Path, metavar="FILE", help="mask samples of the rules of gitleaks instead")
    parser.add_argument("--half", choices=("a", "b"), help="only this half of the files")
    options = parser.parse_args(arguments)
    if options.rules:
        return _mask_samples(options.rules)
    lines = alarms = size = 0
    spent = 0.0
    for path, text in _sources(options.folders, options.half):
        begun = time.process_time()
        count = mask(text)[1]
        spent += time.process_time() - begun
        lines, alarms, size = lines + text.count("\n"), alarms + count, size + len(text)
        for number, line in enumerate(text.splitlines(), 1) if count else ():
            masked, found = mask(line)
            if found:
                print(f"{path}:{number}: {masked.strip()[:160]}")
    print(f"{lines} lines, {alarms} masked, {spent * 1e6 / max(size / 1024, 1):.0f} microseconds per KB")
    return 0


def _mask_samples(path: Path) -> int:
    """Print each rule with its samples that keep their key, then the sums."""
    rules = read_rules(path)
    always = total = left = 0
    for rule in rules:
        made = samples(rule, SAMPLES)
        kept = [text for text, key in made if key in mask(text)[0]]
        total, left, always = total + len(made), left + len(kept), always + (not kept)
        if kept:
            print(f"{rule.name}: {len(kept)} of {len(made)}, such as {kept[0].strip()[:120]}")
    print(f"{len(rules)} rules, {always} masked in every sample; {total} samples, {total - left} masked")
    return 0


def _sources(folders: list[Path], half: str | None) -> Iterator[tuple[Path, str]]:
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            odd = hashlib.sha256(str(path.relative_to(folder)).encode()).digest()[0] & 1
            if path.suffix not in _ENDINGS or (half is not None and odd != (half == "b")) or not path.is_file():
                continue
            try:
                text = path.read_text("utf-8") if path.stat().st_size <= _MOST_BYTES else ""
            except (OSError, UnicodeDecodeError):
                continue
            if text and max(map(len, text.split("\n"))) <= _LONGEST_LINE:
                yield path, text
