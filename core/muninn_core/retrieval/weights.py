"""The weights of all signals. A hit's score is the sum of value x weight over its signals.

`words`, `meaning` and `file` are scaled to 0..1 over the candidates of one question. The weights of files and chunks
were found by coordinate search on questions about real repositories, and checked on repositories that the search had
not seen (decision 020). `python -m bench quality --ablations` measures what each is worth.

The tables in docs/ranking.md are made from this module: a section is a comment, and a weight's text begins with its
signal, then its key in the configuration, or the case that it is for.
"""

from __future__ import annotations

# Code and knowledge

WORDS = 1.0
"""`words`: BM25 of the chunk over path, symbol, title and body, divided by the best chunk's."""

MEANING = 0.5
"""`meaning`: The cosine to the question, scaled from that of the candidate of rank `FLOOR_RANK` to the best one's
and raised to the power `MEANING_EXPONENT`; up to `MEANING_OVERLAP` of it is taken off where `words` match as well."""

FILE_WORDS = 0.7
"""`file`: BM25 of the whole file, divided by the best file's. An answer's words are often spread over several
chunks."""

FILE_WORDS_OF_CHANGE = 0.4
"""`file` where a change is asked for: BM25 favours short files, and changes are often made in long ones."""

PARTS = 0.2
"""`parts`: The matches of the file's further chunks, each counting `PART_DECAY` of the one before, `MOST_PARTS` at
most. It counts for the file's best chunk."""

SPREAD = 0.3
"""`spread` where a change is asked for: How many chunks of a code file are candidates (tests excluded), relative to the
file with the most. It counts for the file's best chunk."""

NAME = 0.6
"""`name`: How well the file's name matches the question. A name that says nothing (`__init__`, `index`) is replaced
by its folder's."""

SYMBOL = 0.7
"""`symbol`: How well the best name that the chunk defines matches the question: `proc_kill` matches "kill a
process"."""

NAMED_FILE = 1.0
"""`named`: 1 for a file whose path, name or module the question contains, or whose name without suffix is the whole
question."""

DEFINES = 0.2
"""`defines`: The share of the question's identifiers that the chunk defines exactly."""

DEFINES_OF_NAME = 1.0
"""`defines` where the question is a name alone: The same."""

CHURN = 0.3
"""`churn`: How much the code file changed recently, by git."""

HISTORY = 0.6
"""`history`: How much earlier commits with similar titles changed the code file, relative to the file with the most."""

HISTORY_OF_NAME = 0.2
"""`history` where the question is a name alone: The same. Commits name what they use as often as what they define."""

TOGETHER = 1.5
"""`together`: How often the file changed together with a file in use."""

FOLDER = 0.15
"""`folder`: 1 in the folder of a file in use."""

FOCUS = 0.2
"""`focus`: 1 for a file in use, and for a memory of the session or about a file in use."""

TEST = -1.2
"""`test`: 1 for tests; less the more the question is about tests, or the more memory says that the test is an
answer."""

GENERATED = -1.0
"""`generated`: 1 for generated files, by their path (`dist`, bundles, `_pb2.py`) or the comment at their head."""

AUXILIARY = -0.5
"""`auxiliary`: 1 for vendored files, declarations (`.d.ts`) and examples."""

AGENT = -0.1
"""`agent`: 1 for knowledge that an agent keeps for itself in the memory of another tool."""

SAME_FILE = -0.1
"""`same_file`: The number of better chunks of the same file."""

SAME_FILE_OF_CHANGE = -0.3
"""`same_file` where a change is asked for: A change is made in several files rather than in several parts of one."""

REMEMBERED = 1.5
"""`remembered`: How well memories about the file, and the questions they answer, match the question (decision 023)."""

REMEMBERED_WITH_MEMORIES = 0.75
"""`remembered` where memories are among the answers: The memories themselves come first."""

REMEMBERED_OF_NAME = 0.3
"""`remembered` where the question is a name alone: The same. Memories name what they are about, wherever it is
defined."""

DECIDED = 0.15
"""`decided`: 1 for a decision record in force."""

RETIRED = -0.6
"""`retired`: 1 for a decision record that was superseded, rejected, deprecated or archived."""

# Memories

MEMORY_WORDS = 1.3
"""`words` (`ranking.words`): BM25, divided by the best candidate's; times `WORDS_WITH_INTERACTION` with the text
encoder. A memory has no file, name or neighbours that could match."""

MEMORY_MEANING = 1.2
"""`meaning` (`ranking.meaning`): With the text encoder, the match of the question's tokens (late interaction, with a
share of `TRANSLATION` for translated words) times `INTERACTION_FACTOR`; without it, the scaled cosine by the table. A
memory's few words are seldom those of the question."""

NEARBY = 0.1
"""`nearby`: The matches of the memories stored right before and after it in the same session, and `SECOND_NEIGHBOUR` of
those two away: what is stored together is often about one thing."""

ANSWERS = 0.2
"""`answers`: The match of the memory right before it in the same session, if that is a question."""

SESSION_MATCH = 0.6
"""`session`: How much of the question the found memories of its session hold together, by rarity, relative to the best
session. It counts where several come from one session; a memory without a session is one of its own, and
so is one of an import."""

TIME = 0.2
"""`time` where the question asks when or how long: 1 for a memory that names a time or a span."""

QUESTION = -0.25
"""`question`: 1 for a memory that is itself a question."""

NEWER = 1.0
"""`newer`: How much lower it was than an older version of the same fact, which it now precedes (decision 043)."""

GRAPH = 0.4
"""`graph` (`ranking.graph`): The strongest link to another memory that the question finds."""

IMPORTANCE = 0.2
"""`importance` (`ranking.importance`): The importance, 1 to 10 scaled to 0 to 1; it fades with age."""

RECENCY = 0.1
"""`recency` (`ranking.recency`): The age: 1 today, a half after `HALF_LIFE_DAYS` days."""

CONFIDENCE = 0.1
"""`confidence`: The confidence, 0 to 1."""

STALE = -0.3
"""`stale`: The share of citations that are stale: 1 for each that is gone, a half for each whose text has changed.
It outweighs importance."""

SESSION = 0.1
"""`scope` for a note of the caller's session: 1 for a memory that is not of the project's scope."""

GLOBAL = -0.1
"""`scope` for a memory of all projects: The same."""

# Contexts

CURSOR = 1.0
"""`cursor`: 1 for the code around the cursor."""

CHANGED = 0.8
"""`changed`: 1 for code that the current change touches."""

SUBJECT = 0.5
"""`subject`: 1 for a decision whose subject is touched."""

BESIDE = 0.4
"""`beside`: 1 for the code before and after the code around the cursor."""

# The profile mnemosyne

LINKED_WORDS = 0.5
"""`words`: BM25, divided by the best candidate's."""

LINKED_GRAPH = 0.2
"""`graph`: The match of the best other match that links lead from, times their strengths, halved at each step after
the first."""

LINKED_IMPORTANCE = 0.2
"""`importance`: The importance, 1 to 10 scaled to 0.1 to 1; it does not fade."""

LINKED_RECENCY = 0.1
"""`recency`: The age: 1 today, a half after `HALF_LIFE_DAYS` days."""

LINKED_SCOPE = 1.0
"""`scope`: 2 for notes of this session, 1 for the project's memory, 0 for global memory. The other four add up to 1
at most, so a narrow scope comes before a wider one."""

# Parts of signals

MEANING_EXPONENT = 0.7
"""The power to which the scaled cosine is raised."""

MEANING_OVERLAP = 0.5
"""The share of `meaning` that is taken off where `words` are the best."""

SECOND_NEIGHBOUR = 0.67
"""What the match of the second neighbour counts relative to the first one's."""

ENCODER_FACTOR = 2.0
"""The factor of a cosine by the text encoder, which finds the candidates among memories. Texts about one thing have a
cosine of about 0.5."""

INTERACTION_FACTOR = 4.0
"""The factor of the match of tokens, which ranks these candidates."""

MOST_COMPARED = 150
"""The most memories whose tokens are compared: the best by words and vectors. The others keep their cosine."""

RELATED_INTERACTION = 0.5
"""The match of tokens of texts about one thing."""

TRANSLATION = 0.2
"""The share of translated words (`signals.translation`) in the match of tokens."""

MOST_INTERACTION = 1.2
"""What the best memory's match of tokens counts among files, less in proportion if it is below `RELATED_INTERACTION`:
memories and files share one scale."""

WORDS_WITH_INTERACTION = 0.5
"""What `words` count where tokens are compared: tokens that are equal match as well."""

FULL_COVERAGE = 0.4
"""The share of the question, by rarity, that the best memory has to cover for `words` to count whole. It applies with
the text encoder."""

VERSION_SPAN = 1.0
"""The most that the score of a newer version may lie below the older one's."""

VERSION_SPAN_WITH_QUESTIONS = 3.0
"""The same where the older one has questions: a question that was foreseen raises it high."""

PART_DECAY = 0.3
"""What each further chunk counts relative to the one before it."""

MOST_PARTS = 8
"""The most further chunks that count."""

FILE_NAME_SHARE = 0.3
"""The weight of a file name's own words in `name`; the rest is the weight of the question's words, by rarity."""

SYMBOL_NAME_SHARE = 0.05
"""The same for `symbol`. A name of a single word counts by rarity alone: `get` is in everything."""

REMEMBERED_ANSWER = 0.3
"""From this value of `remembered` on a file is an answer although nothing else is near the question."""

REMEMBERED_TEXT_SHARE = 0.5
"""The weight of a memory's own words in how well it matches a question; the rest is the weight of the question's
words."""

MOST_REMEMBERED = 0.95
"""The most that a single memory contributes."""

REMEMBERED_FROM, REMEMBERED_SPAN = 0.4, 0.15
"""The match of a memory's tokens from which it makes its files more likely, and how much more makes it certain."""

REMEMBERED_DAYS = 300.0
"""After this many days a memory contributes half as much to `remembered`."""

REMEMBERED_MOST_FILES = 20
"""A memory about more files than this contributes to none of them."""

REMEMBERED_MOST_MEMORIES = 100
"""The most memories that are considered for one question, best first."""

REMEMBERED_MOST_FOUND = 10
"""The most files that enter an answer by memory alone."""

TITLE = 3.0
"""How much more the words of a long question's title count than the others."""

TITLE_MEANING = 1.0
"""The weight of the vector of a long question's title, added to that of the whole."""

HALF_LIFE_DAYS = 30.0
"""After this many days `recency` is a half."""

DECAY_DAYS = 180.0
"""After this many days without a change importance counts half, unless the configuration says otherwise."""

NO_DECAY: frozenset[str] = frozenset({"constraint", "decision", "preference"})
"""Kinds whose importance does not fade. That of pinned memories does not fade either."""

# Limits

CANDIDATES = 100
"""How many candidates words and meaning each contribute."""

FILES = 100
"""How many whole files are candidates."""

GROWTH = 4
"""The factor by which candidates grow while a filter rejects too many of them."""

MOST_CANDIDATES = 9_600
"""The most candidates after growing."""

SCORED = 80
"""How many fused candidates are scored; at least three times the limit."""

SCORED_MEMORIES = 2
"""How many memories are scored at least where a question asks for all kinds: code may have its words so often that no
memory is among the best candidates. More of them take the places of code: see docs/memory-quality-choices.md."""

SCORED_BY_SYMBOLS = 40
"""How many of them are scored by the names that they define: those that are best without."""

RANKED = 40
"""How many are ranked with all signals; at least three times the limit."""

VERSIONS = 20
"""The best memories among which versions of one fact are recognised."""

FLOOR_RANK = 100
"""The rank whose cosine is the floor of the scale of `meaning`, unless `FLOOR_BELOW` below the best is lower."""

FLOOR_BELOW = 0.2

UNKNOWN_RARITY = 6.7
"""The rarity from which an unknown word is evidence of a foreign question; below some 400 chunks and files no word
is that rare."""

KNOWN_SHARE = 0.25
"""Below this share of known words, by rarity, a question may be about something else."""

NEAREST_COSINE = 0.4
"""The highest cosine that, together with `KNOWN_SHARE`, means that nothing is an answer."""
