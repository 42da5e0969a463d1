"""The gateway: one address for the models of the user, with memory added where a person asks something new."""
