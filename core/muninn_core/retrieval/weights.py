"""The weights of all signals. A hit's score is the sum of value x weight over its signals.

`words`, `meaning` and `file` are scaled to 0..1 over the candidates of one question. The weights of files and chunks
were found by coordinate search on questions about real repositories, and checked on repositories that the search had
not seen (decision 020); `python -m bench quality --ablations` says what each is worth.
"""

from __future__ import annotations

WORDS = 1.0
"""BM25 of a chunk over path, symbol, title and body, divided by the best candidate's."""

MEANING = 0.5
"""The cosine to the question, scaled from `FLOOR_RANK`'s to the best candidate's and raised by `NEARLY`."""

NEARLY = 0.7
"""What the scaled cosine is raised by."""

SHARED = 0.5
"""The share of meaning that words say already, where they are the best."""

WHOLE = 0.7
"""BM25 of the whole file, divided by the best file's: an answer's words are often spread over its parts."""

WHOLE_OF_CHANGE = 0.4
"""The same, where the question asks for a change: BM25 holds against a large file what is work to be done in it."""

SPREAD = 0.3
"""How many of a file's chunks are candidates, against the file that has the most of them; where the question asks for a
change. It counts for the file's best chunk."""

PARTS = 0.2
"""The matches of a file's further chunks, each fading by `FADING`; they count for its best chunk."""

FADING = 0.3
"""What each further chunk counts against the one before it."""

MOST_PARTS = 8
"""Further chunks that count: the rest have faded."""

NAME = 0.6
"""How well the file's name answers: the share of the question's words, by rarity, and a little of its own words."""

SYMBOL = 0.7
"""How well the best name that a chunk defines answers, in the same way."""

FILE_OWN = 0.3
"""The part of a file name's own words in how well it answers."""

SYMBOL_OWN = 0.05
"""The same for the name of a definition; one of a single word answers by rarity alone: `get` is in everything."""

DEFINES = 0.2
"""Share of the question's identifiers that the chunk defines, to the letter."""

SOUGHT = 1.0
"""The same, where the question is a name and nothing else."""

FOCUS = 0.2
"""1 for what belongs to a file or session at hand."""

TOGETHER = 1.5
"""How much a file has changed together with one at hand (`evolution.py`): who changes one needs the other."""

FOLDER = 0.15
"""1 for what is in the folder of a file at hand."""

CHURN = 0.3
"""How much a file of code changes of late: where work was done, more work is done."""

TEST = -1.2
"""Tests, as far as the question is not about tests."""

GENERATED = -1.0
"""Files that a program made: they say what their source says, often in more words."""

ASIDE = -0.5
"""Vendored files, declarations of what is written elsewhere, examples."""

DOCS = -0.25
"""Code that only illustrates documentation."""

AGENT = -0.1
"""Knowledge that an agent keeps for itself (the memory of other tools): what people curate comes first."""

CROWD = -0.1
"""For each better chunk of the same file: the second one must earn its place."""

CROWD_OF_CHANGE = -0.3
"""The same, where the question asks for a change: it is made in several files rather than in several of their parts."""

MEMORY_WORDS = 1.3
"""Words of a memory. It has no file, no name and no neighbours to speak for it, so its own words must weigh as much."""

MEMORY_MEANING = 1.2
"""Meaning of a memory, whose few words seldom are those of the question."""

GRAPH = 0.4
"""A memory's strongest link to another one that the question finds."""

REMEMBERED = 1.5
"""What memory says of a file, for questions like this one (decision 023). It also excuses a test, as far as it goes."""

REMEMBERED_BESIDE = 0.75
"""The same where memories are among the answers themselves: who speaks for a file comes before it."""

REMEMBERED_SURE = 0.3
"""A file of which memory says so much is an answer, though nothing else is near the question."""

REMEMBERED_OWN = 0.5
"""The part of a memory's own words in how well it answers a question; the rest is the part of the question's."""

REMEMBERED_MOST = 0.95
"""What one memory alone can be worth at most."""

REMEMBERED_DAYS = 300.0
"""After how long a memory says half as much of files."""

REMEMBERED_FILES = 20
"""A memory of more files is about none of them."""

REMEMBERED_WITNESSES = 100
"""How many memories are heard for one question, the best ones."""

REMEMBERED_FOUND = 10
"""How many files come into an answer by memory alone, where neither words nor meaning found them."""

IMPORTANCE = 0.2
"""A memory's importance, 1..10 scaled to 0..1."""

RECENCY = 0.1
"""A memory's age: 1 today, a half after `HALF_LIFE_DAYS`."""

CONFIDENCE = 0.1
"""A memory's confidence, 0..1."""

STALE = -0.3
"""The share of a memory's citations that are stale: 1 for each that is gone, a half for each whose text has changed.

It outweighs importance: of two that are equally relevant, the one that the code still bears out comes first.
"""

SESSION = 0.1
"""A note of the asker's own session comes before what is equally relevant: the narrow scope before the wide one."""

GLOBAL = -0.1
"""A memory of all projects comes after one of this project: a tenth either way, as a priority and no filter."""

DECIDED = 0.15
"""A decision record that is in force: people wrote it down to be found."""

RETIRED = -0.6
"""One that was superseded, rejected, deprecated or archived: below what replaced it, and still found alone."""

SUBJECT = 0.5
"""A decision whose subject is touched; it comes by that alone, not by the words of the question."""

CURSOR = 1.0
"""The code around the asker's cursor; like that of `CHANGED` and `BESIDE` it comes by that alone."""

CHANGED = 0.8
"""Code that the change at hand touches."""

BESIDE = 0.4
"""What stands before and behind the code around the cursor."""

LINKED_WORDS = 0.5
"""The share of words in the profile `mnemosyne` (`retrieval.profile`); it and the next three add up to 1."""

LINKED_GRAPH = 0.2
LINKED_IMPORTANCE = 0.2
LINKED_RECENCY = 0.1

LINKED_SCOPE = 1.0
"""In that profile, for each scope that is narrower: the whole of a narrow one comes before what is wider."""

HALF_LIFE_DAYS = 30.0
"""Of recency: what is new counts a little more."""

DECAY_DAYS = 180.0
"""Of importance, where the config says nothing else: what nobody has touched for so long matters half as much."""

LASTING: frozenset[str] = frozenset({"constraint", "decision", "preference"})
"""Kinds whose importance does not fade, as that of pins does not: they hold until somebody says otherwise."""

CANDIDATES = 100
"""How many candidates words and meaning each bring."""

FILES = 100
"""How many whole files."""

WIDER = 4
"""By how much candidates grow while a filter refuses too many of them."""

MOST_CANDIDATES = 9_600
"""Where it stops growing."""

POOL = 80
"""How many fused candidates are judged; more when three times the limit is more."""

NAMED = 40
"""How many of them have the names looked at that they define: those that are the best without."""

RANKED = 40
"""How many are put into order with all of their signals; more when three times the limit is more."""

FLOOR_RANK = 100
"""The rank whose cosine is the floor of the scale of meaning, unless one by `FLOOR_BELOW` below the best is lower."""

FLOOR_BELOW = 0.2

LEAST_STRANGE = 6.7
"""The rarity of a word that stands nowhere, from which on its absence says something: some 400 chunks and files."""

LEAST_KNOWN = 0.25
"""The share of a question's rarity of which so little stands anywhere that it may be about something else."""

LEAST_NEAR = 0.4
"""The highest cosine that, together with `LEAST_KNOWN`, says that nothing is an answer."""
