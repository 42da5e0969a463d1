"""The configuration of a work tree, `.muninn/config.yaml`.

`keys` describes every key once. `parser` reads a file, `description` gives the keys as data, and `template` and
`schema` make the files for people and editors from them.
"""

from muninn_core.config.keys import (
    BUNDLED_MODEL,
    OWN_SETTINGS,
    TOOL_SETS,
    BridgesConfig,
    CheckConfig,
    Config,
    DaemonConfig,
    IndexConfig,
    PruneConfig,
    ReviewConfig,
)
from muninn_core.config.parser import ConfigProblem, load_config, load_own_settings, read_config

__all__ = [
    "BUNDLED_MODEL",
    "OWN_SETTINGS",
    "TOOL_SETS",
    "BridgesConfig",
    "CheckConfig",
    "Config",
    "ConfigProblem",
    "DaemonConfig",
    "IndexConfig",
    "PruneConfig",
    "ReviewConfig",
    "load_config",
    "load_own_settings",
    "read_config",
]
