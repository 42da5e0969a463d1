"""Who may read and push what: tenants, tokens, identity providers, webhooks and the audit."""
