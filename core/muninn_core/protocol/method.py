"""The form of a catalogue entry: a verb with everything that front ends need, and a family of verbs."""

from __future__ import annotations

import keyword
from typing import Any, Literal

from muninn_core.model.value import Value, field

Effect = Literal["read", "write", "append", "control"]


class Method(Value):
    """One verb, with everything that front ends need.

    A dot in a verb separates a group from the verb in it: `pack.add` is `muninn pack add` on the command line.
    """

    verb: str
    """The name, on every front end."""

    title: str
    """A few words for a menu or a list."""

    summary: str
    """One sentence: what the verb does. People and models read it."""

    params: type[Value]
    """The parameters. The description of each field is what people and models read."""

    result: type[Value]
    """The result."""

    effect: Effect
    """read changes nothing; write adds to the log or the work tree, one at a time; append adds to the journal, whose
    writer commits many at once; control acts on the daemon or the index, or takes so long that writers must not wait
    for it."""

    use: str = ""
    """When a model should call the verb. Without it the verb is no MCP tool."""

    for_agents: bool = False
    """Whether an agent's program may call a verb that is no MCP tool, although it is a destructive, write or control
    verb."""

    destructive: bool = False
    """Whether the verb removes or replaces something, so that front ends may ask for confirmation."""

    irreversible: bool = False
    """Whether the verb erases something for good. It takes `dry_run`, whose result the command line shows before it
    asks."""

    erased: str = ""
    """The field of the result with `dry_run` that lists what is erased. When that is empty, the command line does not
    ask."""

    idempotent: bool = True
    """Whether a second call with the same parameters changes nothing more: a hint for MCP clients."""

    retry: bool = False
    """Whether a client may repeat a write or control verb when the connection breaks before the response."""

    waits: bool = False
    """Whether the verb may wait for other clients. Such verbs have threads of their own and end with the daemon."""

    exact: bool = False
    """Whether a lone surrogate in a parameter is refused. Otherwise it becomes a replacement character."""

    alone: bool = False
    """Whether the command line runs the verb in a temporary daemon."""

    without_memory: bool = False
    """Whether the verb works in a repository without `.muninn`. The command line starts no daemon there for others."""

    searches: bool = False
    """Whether the answer comes from the index. The command line then warns when the index could not be updated."""

    progress: str = ""
    """The title of the progress bar on a terminal. Without it there is no bar."""

    positional: tuple[str, ...] = ()
    """The parameters that the command line takes by position, in this order."""

    flags: dict[str, str] = field(default_factory=dict)
    """Names of options that differ from their parameter's name, by parameter."""

    bare: dict[str, str] = field(default_factory=dict)
    """Options that may be given without a value, by parameter, and the value that they then have."""

    aliases: tuple[str, ...] = ()
    """Other words for the verb on the command line: `context new` for `template.new`."""

    synonyms: tuple[str, ...] = ()
    """Words that people try instead of the verb. The command line runs nothing for them; its error names the verb."""

    suggested: bool = True
    """Whether an error may suggest the verb for a misspelt word. False where a hasty confirmation would lose or stop
    something."""

    everyday: str = ""
    """The verb's line in the short help, at most 60 characters. The short help lists the verbs that have one."""

    absolute_paths: tuple[str, ...] = ()
    """Parameters that the command line sends as absolute paths: files that need not be in the repository."""

    rooted_paths: tuple[str, ...] = ()
    """Parameters that a person gives relative to the current folder and the verb takes relative to the root."""

    tool: bool = False
    """Whether the verb is in the MCP tool set `core`, which agents are shown by default."""

    always_loaded: bool = False
    """Whether an MCP client that loads tools on demand should load this one at the start."""

    shown: tuple[str, ...] = ()
    """The parameters in the schema of the MCP tool; () is all that a model may fill in."""

    may_omit: tuple[str, ...] = ()
    """Positional parameters that a model may leave out. A model must give all others."""

    session_filter: bool = False
    """Whether `session` selects what is looked at, so that a model may fill it in. Otherwise it says who calls."""

    lsp_command: str = ""
    """The LSP command, where a command of the server's own already has the verb's name."""

    example: dict[str, Any] = field(default_factory=dict)
    """The parameters of the example in the reference."""

    @property
    def family(self) -> str:
        """The name of the family: that of the module which defines the parameters."""
        return self.params.__module__.rpartition(".")[2]

    @property
    def repeatable(self) -> bool:
        """Whether a client may repeat the verb when its outcome is unknown."""
        return self.effect == "read" or self.retry

    @property
    def for_people(self) -> bool:
        """Whether only a person may call the verb: it decides, changes settings or removes, and is no tool of models.

        A client that cannot act as a user, such as one over HTTP, is refused.
        """
        return not (self.use or self.for_agents) and (self.destructive or self.effect in ("write", "control"))

    @property
    def names_speaker(self) -> bool:
        """Whether the effect depends on who calls: a person or an agent."""
        return "actor" in self.params.__struct_fields__

    @property
    def function(self) -> str:
        """The name of the engine's method; a Python keyword gets a trailing underscore."""
        return self.verb.replace(".", "_") + ("_" if keyword.iskeyword(self.verb) else "")

    @property
    def words(self) -> str:
        """The verb as the command line has it."""
        return self.verb.replace(".", " ")

    @property
    def name(self) -> str:
        """The JSON-RPC method's name."""
        return f"muninn/{self.verb}"

    @property
    def command(self) -> str:
        """The LSP command's name."""
        return self.lsp_command or f"muninn.{self.verb}"


class Family(Value):
    """Verbs that belong together: a module of the protocol, a section of the help and a page of the reference."""

    name: str
    """The name of the family's module."""

    title: str
    """A heading."""

    summary: str
    """One sentence: what the verbs are for."""

    methods: tuple[Method, ...]
    """The verbs, in the order in which people meet them."""

    groups: dict[str, str] = field(default_factory=dict)
    """The words before a dot in these verbs, and what each group of verbs is for."""

    plumbing: bool = False
    """Whether programs, agents and editors use these verbs rather than people. The help lists them by name alone."""
