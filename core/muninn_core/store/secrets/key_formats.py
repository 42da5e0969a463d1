"""The published formats of keys and tokens, as a table.

Formats are facts of their issuers. `source` names where a format is described: `gitleaks` is the default configuration
of gitleaks 8, `github` is GitHub's list of supported secret scanning patterns, `detect-secrets` are the plugins of
detect-secrets 1.5, and `issuer` is the issuer's own documentation. The expressions are written for this table. Each has
bounded repetitions, so that a search takes time in proportion to the text.

`scripts/generate.py` writes the table to docs/secrets.md.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_A, _H, _W, _U = "[A-Za-z0-9]", "[0-9a-f]", "[A-Za-z0-9_-]", "[A-Z0-9]"
_UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

Prefixes = tuple[str, ...]


class KeyFormat(NamedTuple):
    """A format that begins with a fixed text.

    `rest` is the expression of what follows one of the `prefixes`. With `random`, a match must also mix letters and
    digits, because words begin with the prefix too.
    """

    kind: str
    issuer: str
    prefixes: Prefixes
    rest: str
    source: str
    random: bool = False

    def expressions(self) -> list[tuple[str, str]]:
        """Return (prefix, expression) pairs. An expression begins with its prefix, which the engine finds fast."""
        return [
            (prefix, f"{re.escape(prefix)}(?<![A-Za-z0-9]{re.escape(prefix)})(?:{self.rest})(?![A-Za-z0-9])")
            for prefix in self.prefixes
        ]


KEY_FORMATS: tuple[KeyFormat, ...] = (
    # Code hosts and package registries
    KeyFormat("github-token", "GitHub", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _A + "{36,255}", "gitleaks"),
    KeyFormat("github-token", "GitHub", ("github_pat_",), "[A-Za-z0-9_]{36,255}", "gitleaks"),
    KeyFormat(
        "gitlab-token",
        "GitLab",
        (
            "glpat-",
            "gldt-",
            "glrt-",
            "glft-",
            "glffct-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glsoat-",
            "glptt-",
            "glcbt-",
            "glrtr-",
            "glwt-",
        ),
        "[A-Za-z0-9_.-]{20,300}",
        "gitleaks",
    ),
    KeyFormat("gitlab-token", "GitLab", ("GR1348941",), _W + "{20}", "gitleaks"),
    KeyFormat("gitlab-token", "GitLab", ("_gitlab_session=",), "[0-9a-z]{32}", "gitleaks"),
    KeyFormat("npm-token", "npm", ("npm_",), _A + "{36}", "gitleaks"),
    KeyFormat("pypi-token", "PyPI", ("pypi-Ag",), _W + "{50,1000}", "gitleaks"),
    KeyFormat("rubygems-key", "RubyGems", ("rubygems_",), _H + "{48}", "gitleaks"),
    KeyFormat("nuget-key", "NuGet", ("oy2",), "[a-z0-9]{43}", "github", random=True),
    KeyFormat("crates-token", "crates.io", ("cio",), _A + "{32}", "github", random=True),
    KeyFormat("clojars-token", "Clojars", ("CLOJARS_", "clojars_"), _A + "{60}", "gitleaks"),
    KeyFormat("openvsx-token", "Open VSX", ("ovsxat_",), _A + "{36}|" + _UUID, "github"),
    KeyFormat("docker-token", "Docker", ("dckr_pat_", "dckr_oat_"), _W + "{27,64}", "github"),
    KeyFormat("artifactory-key", "JFrog", ("AKCp",), _A + "{69}", "gitleaks"),
    KeyFormat("artifactory-key", "JFrog", ("cmVmd",), _A + "{59}", "gitleaks"),
    KeyFormat("atlassian-token", "Atlassian", ("ATATT3", "ATCTT3", "ATSTT3"), "[A-Za-z0-9_=-]{100,240}", "gitleaks"),
    KeyFormat("atlassian-token", "Bitbucket", ("ATBB",), _A + "{32}", "github", random=True),
    KeyFormat(
        "sourcegraph-token", "Sourcegraph", ("sgp_",), "(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}", "gitleaks"
    ),
    KeyFormat("sourcegraph-token", "Sourcegraph", ("sgd_", "slk_"), "[0-9a-f]{64}", "github"),
    KeyFormat("openshift-token", "OpenShift", ("sha256~",), _W + "{43}", "gitleaks"),
    KeyFormat("circleci-token", "CircleCI", ("CCIPAT_", "CCIPRJ_"), _A + "{22}_" + _H + "{40}", "github"),
    KeyFormat("buildkite-token", "Buildkite", ("bkua_",), _H + "{40}", "github"),
    KeyFormat("mergify-key", "Mergify", ("mka_",), _A + "{22,64}", "github", random=True),
    KeyFormat("deno-token", "Deno", ("ddp_", "ddo_", "ddw_"), _A + "{36}", "github"),
    # Clouds
    KeyFormat("aws-key", "Amazon Web Services", ("AKIA", "ASIA", "ABIA", "ACCA"), _U + "{16}", "gitleaks"),
    KeyFormat("aws-key", "Amazon Web Services", ("A3T",), _U + "{17}", "gitleaks"),
    KeyFormat("aws-key", "Amazon Bedrock", ("ABSK",), "[A-Za-z0-9+/]{109,269}={0,2}", "gitleaks"),
    KeyFormat(
        "aws-key",
        "Amazon Bedrock",
        ("bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t",),
        "[A-Za-z0-9+/=]{0,4000}",
        "gitleaks",
    ),
    KeyFormat("google-key", "Google", ("AIza",), _W + "{35}", "gitleaks"),
    KeyFormat("google-token", "Google", ("ya29.", "ya29.a0", "ya29.c."), _W + "{20,2000}", "github"),
    KeyFormat("google-secret", "Google", ("GOCSPX-",), _W + "{24,40}", "github"),
    KeyFormat("google-token", "Google", ("1//0",), _W + "{30,300}", "github", random=True),
    KeyFormat("google-key", "Firebase", ("AAAA",), "[A-Za-z0-9_-]{7}:" + _W + "{140}", "issuer"),
    KeyFormat("google-key", "Google Cloud Storage", ("GOOG1",), "[A-Z0-9]{19,60}", "github", random=True),
    KeyFormat("azure-key", "Azure", ("AccountKey=",), "[A-Za-z0-9+/]{40,120}={0,2}", "detect-secrets"),
    KeyFormat("azure-key", "Azure", ("SharedAccessKey=",), "[A-Za-z0-9+/]{40,60}={0,2}", "github"),
    KeyFormat(
        "digitalocean-token", "DigitalOcean", ("dop_v1_", "doo_v1_", "dor_v1_", "dos_v1_"), _H + "{64}", "gitleaks"
    ),
    KeyFormat("alibaba-key", "Alibaba Cloud", ("LTAI",), _A + "{12,24}", "gitleaks", random=True),
    KeyFormat("tencent-key", "Tencent Cloud", ("AKID",), _A + "{32}", "github", random=True),
    KeyFormat("cloudflare-key", "Cloudflare", ("v1.0-",), _H + "{24}-" + _H + "{146}", "gitleaks"),
    KeyFormat("fly-token", "Fly.io", ("fo1_",), _W + "{43}", "gitleaks"),
    KeyFormat("fly-token", "Fly.io", ("fm1a_", "fm1r_", "fm2_"), "[A-Za-z0-9+/]{100,2000}={0,3}", "gitleaks"),
    KeyFormat("heroku-key", "Heroku", ("HRKU-",), _W + "{36,60}", "gitleaks"),
    KeyFormat("scalingo-token", "Scalingo", ("tk-us-",), _W + "{48}", "gitleaks"),
    KeyFormat("render-key", "Render", ("rnd_",), _A + "{32}", "issuer", random=True),
    KeyFormat("netlify-token", "Netlify", ("nfp_", "nfc_", "nfo_", "nfu_"), _A + "{36}", "github"),
    KeyFormat(
        "vercel-token", "Vercel", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), _A + "{24,60}", "github", random=True
    ),
    KeyFormat("neon-key", "Neon", ("napi_",), "[a-z0-9]{64}", "github"),
    KeyFormat("supabase-key", "Supabase", ("sbp_",), "(?:v0_)?" + _H + "{40}", "github"),
    KeyFormat("supabase-key", "Supabase", ("sb_secret_",), _W + "{22,64}", "github"),
    KeyFormat(
        "planetscale-token",
        "PlanetScale",
        ("pscale_tkn_", "pscale_oauth_", "pscale_pw_"),
        "[A-Za-z0-9_=.-]{32,64}",
        "gitleaks",
    ),
    KeyFormat("mongodb-secret", "MongoDB Atlas", ("mdb_sa_sk_",), _W + "{40,64}", "github"),
    KeyFormat("aiven-password", "Aiven", ("AVNS_",), _W + "{19,64}", "github"),
    KeyFormat("clickhouse-key", "ClickHouse", ("4b1d",), _A + "{38}", "gitleaks", random=True),
    KeyFormat("databricks-token", "Databricks", ("dapi", "dkea", "dose"), "[0-9a-f]{32}(?:-\\d)?", "gitleaks"),
    KeyFormat("yandex-token", "Yandex", ("t1.",), "[A-Za-z0-9_-]{8,200}={0,2}\\.[A-Za-z0-9_-]{86}={0,2}", "gitleaks"),
    KeyFormat("yandex-token", "Yandex", ("AQVN",), _W + "{35,38}", "gitleaks"),
    KeyFormat("yandex-token", "Yandex", ("y0_", "y1_", "y2_", "y3_"), _W + "{30,130}", "github", random=True),
    KeyFormat(
        "yandex-token", "Yandex", ("YCAJ", "YCAA", "YCM", "YCO", "YCN", "YCP"), _W + "{30,40}", "gitleaks", random=True
    ),
    # Infrastructure
    KeyFormat("vault-token", "HashiCorp Vault", ("hvs.", "hvb.", "hvr."), _W + "{20,400}", "gitleaks"),
    KeyFormat("vault-token", "HashiCorp Vault", ("s.", "b."), _A + "{24}(?![.(\\w])", "gitleaks", random=True),
    KeyFormat(
        "doppler-token",
        "Doppler",
        ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
        "(?:[a-z0-9_-]{2,35}\\.)?" + _A + "{40,44}",
        "gitleaks",
    ),
    KeyFormat("pulumi-token", "Pulumi", ("pul-",), _H + "{40}", "gitleaks"),
    KeyFormat("prefect-key", "Prefect", ("pnu_", "pnb_"), _A + "{36}", "gitleaks"),
    KeyFormat("infracost-key", "Infracost", ("ico-",), _A + "{32}", "gitleaks", random=True),
    KeyFormat("harness-key", "Harness", ("pat.", "sat."), _W + "{22}\\." + _A + "{24}\\." + _A + "{20}", "gitleaks"),
    KeyFormat("octopus-key", "Octopus Deploy", ("API-",), "[A-Z0-9]{25,32}", "gitleaks", random=True),
    KeyFormat("tailscale-key", "Tailscale", ("tskey-",), _W + "{16,100}", "github"),
    KeyFormat("ngrok-token", "ngrok", ("ngrok_",), _A + "{40,60}", "github", random=True),
    KeyFormat("defined-key", "Defined Networking", ("dnkey-",), "[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}", "gitleaks"),
    KeyFormat("age-key", "age", ("AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1"), "[0-9A-Z]{58,200}", "gitleaks"),
    KeyFormat(
        "1password-key",
        "1Password",
        ("A3-",),
        "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
        "gitleaks",
    ),
    KeyFormat("1password-token", "1Password", ("ops_eyJ",), "[A-Za-z0-9+/_-]{200,4000}={0,3}", "gitleaks"),
    KeyFormat("scaleway-key", "Scaleway", ("SCW",), "[A-Z0-9]{17}", "github", random=True),
    KeyFormat("runpod-key", "RunPod", ("rpa_",), "[A-Z0-9]{30,50}" + "[A-Za-z0-9]{0,6}", "github", random=True),
    # Monitoring
    KeyFormat("grafana-token", "Grafana", ("glsa_",), _A + "{32}_[0-9A-Fa-f]{8}", "gitleaks"),
    KeyFormat("grafana-token", "Grafana", ("glc_",), "[A-Za-z0-9+/]{32,400}={0,3}", "gitleaks"),
    KeyFormat("grafana-token", "Grafana", ("eyJrIjoi",), _A + "{70,400}={0,3}", "gitleaks"),
    KeyFormat(
        "newrelic-key",
        "New Relic",
        ("NRAK-", "NRII-", "NRJS-", "NRRA-", "NRIQ-", "NRAA-"),
        "[A-Za-z0-9-]{19,42}",
        "gitleaks",
    ),
    KeyFormat(
        "dynatrace-token",
        "Dynatrace",
        ("dt0c01.", "dt0s01.", "dt0s02.", "dt0s03.", "dt0s06.", "dt0s16."),
        _A + "{8,24}\\." + _A + "{64}",
        "gitleaks",
    ),
    KeyFormat("sentry-token", "Sentry", ("sntrys_",), "[A-Za-z0-9+/=]{20,600}_[A-Za-z0-9+/]{40,44}", "gitleaks"),
    KeyFormat("sentry-token", "Sentry", ("sntryu_", "sntrya_", "sntryi_"), _H + "{64}", "gitleaks"),
    KeyFormat(
        "honeycomb-key", "Honeycomb", ("hcaik_", "hcbik_", "hcaic_", "hcxik_", "hcalk_"), "[a-z0-9]{50,70}", "github"
    ),
    KeyFormat("posthog-key", "PostHog", ("phx_", "phs_"), _A + "{40,50}", "github"),
    KeyFormat("sonar-token", "SonarQube", ("squ_", "sqp_", "sqa_"), _H + "{40}", "gitleaks"),
    KeyFormat("snyk-token", "Snyk", ("snyk_uat.", "snyk_sat."), "[A-Za-z0-9_.-]{40,200}", "github"),
    KeyFormat("stackhawk-key", "StackHawk", ("hawk.",), _W + "{20}\\." + _W + "{20}", "github"),
    # Payment and commerce
    KeyFormat(
        "stripe-key",
        "Stripe",
        ("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"),
        _A + "{10,255}",
        "gitleaks",
    ),
    KeyFormat("stripe-key", "Stripe", ("whsec_",), "[A-Za-z0-9+/]{24,100}={0,2}", "github"),
    KeyFormat("square-secret", "Square", ("sq0csp-", "sq0atp-", "sq0idp-"), _W + "{22,60}", "gitleaks"),
    KeyFormat("square-secret", "Square", ("EAAA",), _W + "{22,60}", "gitleaks", random=True),
    KeyFormat(
        "shopify-token",
        "Shopify",
        ("shpat_", "shpca_", "shppa_", "shpss_", "shpua_", "shptka_"),
        "[0-9a-fA-F]{32}",
        "gitleaks",
    ),
    KeyFormat(
        "flutterwave-key",
        "Flutterwave",
        ("FLWSECK_TEST-", "FLWSECK-", "FLWPUBK_TEST-", "FLWPUBK-"),
        _A + "{12,64}(?:-X)?",
        "gitleaks",
    ),
    KeyFormat("shippo-token", "Shippo", ("shippo_live_", "shippo_test_"), "[0-9a-fA-F]{40}", "gitleaks"),
    KeyFormat("easypost-key", "EasyPost", ("EZAK", "EZTK"), _A + "{54}", "gitleaks"),
    KeyFormat("duffel-token", "Duffel", ("duffel_test_", "duffel_live_"), "[A-Za-z0-9_=-]{43}", "gitleaks"),
    KeyFormat("lob-key", "Lob", ("live_", "test_"), "(?:pub_)?" + _H + "{31,35}", "gitleaks", random=True),
    KeyFormat("gocardless-token", "GoCardless", ("live_",), "[A-Za-z0-9_=-]{40}", "gitleaks", random=True),
    KeyFormat(
        "paypal-token",
        "PayPal",
        ("access_token$production$", "access_token$sandbox$"),
        "[0-9a-z]{16}\\$[0-9a-f]{32}",
        "detect-secrets",
    ),
    KeyFormat(
        "plaid-token", "Plaid", ("access-sandbox-", "access-development-", "access-production-"), _UUID, "gitleaks"
    ),
    KeyFormat("razorpay-key", "Razorpay", ("rzp_live_", "rzp_test_"), _A + "{14}", "github"),
    # Messages and mail
    KeyFormat(
        "slack-token",
        "Slack",
        ("xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"),
        "[A-Za-z0-9%/+=-]{8,400}",
        "gitleaks",
    ),
    KeyFormat(
        "slack-token",
        "Slack",
        ("xoxe-", "xoxe.xoxb-", "xoxe.xoxp-"),
        "\\d-[A-Za-z0-9-]{28,200}|(?:\\d{10,13}-){2,3}[A-Za-z0-9-]{28,34}",
        "gitleaks",
    ),
    KeyFormat("slack-token", "Slack", ("xapp-",), "\\d-[A-Z0-9]{1,40}-\\d{1,40}-[A-Za-z0-9]{1,120}", "gitleaks"),
    KeyFormat(
        "sendgrid-key",
        "SendGrid",
        ("SG.",),
        "[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}|[A-Za-z0-9=_.-]{66}",
        "gitleaks",
    ),
    KeyFormat("brevo-key", "Brevo", ("xkeysib-", "xsmtpsib-"), _H + "{64}-" + _A + "{16}", "gitleaks"),
    KeyFormat("mailgun-key", "Mailgun", ("key-", "pubkey-"), _H + "{32}", "gitleaks"),
    KeyFormat("twilio-key", "Twilio", ("SK", "AC"), "[0-9a-fA-F]{32}", "gitleaks"),
    KeyFormat("zuplo-key", "Zuplo", ("zpka_",), _A + "{32}_" + _H + "{8}", "github"),
    KeyFormat("onesignal-key", "OneSignal", ("os_v2_app_", "os_v2_org_"), "[a-z0-9]{80,110}", "github"),
    # Language models
    KeyFormat("anthropic-token", "Anthropic", ("sk-ant-",), _W + "{24,200}", "gitleaks"),
    KeyFormat(
        "openai-token", "OpenAI", ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"), _W + "{40,250}", "gitleaks"
    ),
    KeyFormat("openai-token", "OpenAI", ("sk-",), _A + "{20}T3BlbkFJ" + _A + "{20}", "gitleaks"),
    KeyFormat("openrouter-key", "OpenRouter", ("sk-or-v1-",), _H + "{64}", "github"),
    KeyFormat("model-key", "DeepSeek and others", ("sk-",), _A + "{32,64}", "github", random=True),
    KeyFormat("huggingface-token", "Hugging Face", ("hf_", "api_org_"), _A + "{34}", "gitleaks"),
    KeyFormat("groq-key", "Groq", ("gsk_",), _A + "{52}", "github"),
    KeyFormat("xai-key", "xAI", ("xai-",), _A + "{80}", "github"),
    KeyFormat("perplexity-key", "Perplexity", ("pplx-",), _A + "{48}", "gitleaks"),
    KeyFormat("replicate-token", "Replicate", ("r8_",), _A + "{37}", "github"),
    KeyFormat("nvidia-key", "NVIDIA", ("nvapi-",), _W + "{60,70}", "github"),
    KeyFormat("langsmith-key", "LangSmith", ("lsv2_pt_", "lsv2_sk_"), _H + "{32}_" + _H + "{10}", "github"),
    KeyFormat("langfuse-key", "Langfuse", ("sk-lf-",), _UUID, "github"),
    KeyFormat("pinecone-key", "Pinecone", ("pcsk_",), "[A-Za-z0-9_]{50,80}", "github"),
    KeyFormat("tavily-key", "Tavily", ("tvly-",), "(?:dev-|prod-)?" + _A + "{32}", "github"),
    KeyFormat("voyage-key", "Voyage AI", ("pa-",), _W + "{43}", "github", random=True),
    KeyFormat("fireworks-key", "Fireworks AI", ("fw_",), _A + "{22,24}", "github", random=True),
    KeyFormat("cerebras-key", "Cerebras", ("csk-",), "[a-z0-9]{48}", "github"),
    KeyFormat("elevenlabs-key", "ElevenLabs", ("sk_",), _H + "{48}", "github"),
    KeyFormat("wandb-key", "Weights & Biases", ("wandb_v1_",), "[A-Za-z0-9_]{60,90}", "github"),
    # Work and design tools
    KeyFormat("linear-key", "Linear", ("lin_api_", "lin_oauth_"), _A + "{40,64}", "gitleaks"),
    KeyFormat("notion-token", "Notion", ("ntn_",), "[0-9]{11}" + _A + "{35}", "gitleaks"),
    KeyFormat("notion-token", "Notion", ("secret_",), _A + "{43}", "github", random=True),
    KeyFormat("figma-token", "Figma", ("figd_", "figo_", "figu_", "figor_", "figur_"), _W + "{40,100}", "github"),
    KeyFormat("airtable-token", "Airtable", ("pat",), _A + "{14}\\." + _H + "{64}", "gitleaks"),
    KeyFormat("asana-token", "Asana", ("0/", "1/", "2/"), "(?:\\d{14,18}/)?\\d{14,18}:" + _H + "{32}", "github"),
    KeyFormat("postman-key", "Postman", ("PMAK-",), _H + "{24}-" + _H + "{34}", "gitleaks"),
    KeyFormat("postman-key", "Postman", ("PMAT-",), "[A-Z0-9]{26}", "github", random=True),
    KeyFormat("readme-key", "ReadMe", ("rdme_",), "[a-z0-9]{70}", "gitleaks"),
    KeyFormat("typeform-token", "Typeform", ("tfp_",), "[A-Za-z0-9_.=-]{44,59}", "gitleaks"),
    KeyFormat("contentful-token", "Contentful", ("CFPAT-",), _W + "{43}", "github"),
    KeyFormat("hubspot-token", "HubSpot", ("pat-na1-", "pat-na2-", "pat-eu1-"), _UUID, "github"),
    KeyFormat("adobe-secret", "Adobe", ("p8e-", "p8-"), _W + "{32}", "gitleaks", random=True),
    KeyFormat("frameio-token", "Frame.io", ("fio-u-",), "[A-Za-z0-9_=-]{64}", "gitleaks"),
    KeyFormat("mapbox-token", "Mapbox", ("pk.", "sk.", "tk."), "[A-Za-z0-9]{50,110}\\.[A-Za-z0-9_-]{22}", "gitleaks"),
    KeyFormat("dropbox-token", "Dropbox", ("sl.", "sl.u."), "[A-Za-z0-9_=-]{130,1300}", "gitleaks"),
    KeyFormat("facebook-token", "Meta", ("EAA",), _A + "{80,300}", "gitleaks", random=True),
    KeyFormat("twitter-token", "X", ("AAAAAAAAAAAAAAAAAAAAA",), "[A-Za-z0-9%]{40,130}", "gitleaks", random=True),
    KeyFormat("intra42-secret", "42", ("s-s4t2ud-", "s-s4t2af-"), _H + "{64}", "gitleaks"),
    KeyFormat("settlemint-token", "SettleMint", ("sm_aat_", "sm_pat_", "sm_sat_"), _A + "{16}", "gitleaks"),
    KeyFormat(
        "authress-key",
        "Authress",
        ("sc_", "ext_", "scauth_", "authress_"),
        "[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}",
        "gitleaks",
    ),
    KeyFormat("okta-token", "Okta", ("SSWS 00", "SSWS\t00"), "[A-Za-z0-9_=-]{40}", "github"),
    KeyFormat("apify-token", "Apify", ("apify_api_",), _A + "{36}", "github"),
    KeyFormat("pinterest-token", "Pinterest", ("pina_",), "[A-Z0-9]{64,}", "github"),
    KeyFormat("samsara-token", "Samsara", ("samsara_api_",), _A + "{30}", "github"),
    KeyFormat("lichess-token", "Lichess", ("lip_",), _A + "{20}", "github", random=True),
    KeyFormat("wakatime-key", "WakaTime", ("waka_",), _UUID, "github"),
    KeyFormat("zoho-token", "Zoho", ("1000.",), _H + "{32}\\." + _H + "{32}", "github"),
    KeyFormat("thunderstore-token", "Thunderstore", ("tss_",), _A + "{36}", "github", random=True),
    KeyFormat(
        "slack-webhook",
        "Slack",
        ("hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"),
        "[A-Za-z0-9+/_-]{20,90}",
        "gitleaks",
    ),
)
"""Formats that begin with a fixed text. More specific prefixes come before shorter ones."""
