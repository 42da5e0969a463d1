"""Finds related passages of prose: heading and section, manual page and its summary, word and gloss."""

import gzip
import html
import random
import re
from collections.abc import Iterator
from pathlib import Path

from functions import is_english

_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def sections(source: str, language: str) -> Iterator[tuple[list[str], str]]:
    """Yield (path of headings, text) of each section of markdown, reStructuredText or HTML."""
    if language == "html":
        source = _from_html(source)
    if language == "rst":
        source = re.sub(r"(?m)^(\S[^\n]{2,80})\n([=\-~^\"'*#+]){3,}\s*$", r"# \1", source)
    heads: list[str] = []
    lines: list[str] = []
    for line in [*source.split("\n"), None]:
        match = re.match(r"^(#{1,5})\s+(.{3,100}?)\s*#*$", line) if line is not None else None
        if line is None or match:
            text = "\n".join(lines).strip()
            if heads and len(text) > 120 and is_english(text[:600]):
                yield list(heads), text[:2000]
            lines = []
        if match:
            name = re.sub(r"[`*_\[\]]|\(http[^)]*\)", "", match.group(2))
            heads = [*heads[: len(match.group(1)) - 1], name]
        elif line is not None:
            lines.append(re.sub(r":\w+:`([^`]*)`", r"\1", line))


def cloze(text: str, chance: random.Random) -> tuple[str, str] | None:
    """Return (a sentence, the other paragraphs) of a text of several paragraphs, as a question and its answer."""
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    parts = [part for part in parts if len(part.split()) >= 12 and is_english(part)]
    if len(parts) < 2:
        return None
    chosen = chance.choice(parts)
    sentence = chance.choice(_SENTENCE.split(chosen))
    return (sentence, " ".join(part for part in parts if part is not chosen)) if len(sentence.split()) >= 6 else None


def manual_pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield (summary, description) of the compressed manual pages below a folder."""
    for path in sorted(root.glob("**/man/man*/*.gz")):
        text = gzip.decompress(path.read_bytes()).decode("utf-8", "ignore")
        macros = r'(?m)^\.\\".*$|\\f.|\\&|^\.(?:BR|IR|B|I|RB|RI|TP|PP|IP|RS|RE|P|nf|fi|EX|EE|SS)\b *'
        text = re.sub(macros, "", text).replace("\\-", "-")
        name = re.search(r'(?s)\.SH "?NAME"?\n(.*?)\.SH', text)
        about = re.search(r'(?s)\.SH "?DESCRIPTION"?\n(.*?)(\.SH|$)', text)
        if name and about and " - " in name.group(1) and len(about.group(1)) > 150:
            yield " ".join(name.group(1).split(" - ", 1)[1].split()), " ".join(about.group(1).split())[:2000]


def glosses(root: Path) -> Iterator[tuple[str, str]]:
    """Yield (synonyms, gloss) of the WordNet database below a folder."""
    for path in sorted(root.glob("**/wordnet/data.*")):
        for line in path.read_text("utf-8", "ignore").splitlines():
            head, _, gloss = line.partition(" | ")
            fields = head.split(" ")
            if line.startswith("  ") or len(fields) < 5:
                continue
            names = [fields[4 + 2 * i].split("(")[0].replace("_", " ") for i in range(int(fields[3], 16))]
            meaning, *examples = gloss.strip().split("; ")
            if len(meaning.split()) >= 3 and not names[0][:1].isupper():
                example = ". " + examples[0].strip('"') if examples else ""
                yield ", ".join(names), meaning + example


def _from_html(source: str) -> str:
    source = re.sub(r"(?is)<(script|style|head|nav).*?</\1>", " ", source)
    source = re.sub(
        r"(?is)<h[1-4][^>]*>(.*?)</h[1-4]>",
        lambda m: "\n# " + re.sub(r"<[^>]+>|\s+", " ", m.group(1)).strip() + "\n",
        source,
    )
    source = re.sub(r"(?i)</p>|<br ?/?>|</li>|</dt>|</dd>", "\n\n", source)
    return html.unescape(re.sub(r"<[^>]+>", " ", source)).replace("¶", "")
