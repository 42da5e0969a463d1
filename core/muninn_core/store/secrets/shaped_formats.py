"""The published formats of keys and tokens that are known by their shape, as a table. `key_formats` has the others.

The sources have the same names there, and the expressions bounded repetitions as well.

`scripts/generate.py` writes the table to docs/secrets.md.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class ShapedFormat(NamedTuple):
    """A format that is known by its shape around a fixed text, which need not be its beginning.

    `literals` are texts of which one is in every match, in lower case with `folded`. The secret is the first group,
    or the whole match. With `random` it must mix letters and digits.
    """

    kind: str
    issuer: str
    literals: tuple[str, ...]
    expression: str
    source: str
    random: bool = False
    folded: bool = False

    @property
    def has_group(self) -> bool:
        """Whether the expression has a group. To compile all expressions would take a daemon's start 0.2 s."""
        return _GROUP.search(self.expression) is not None


_GROUP = re.compile(r"(?<!\\)\((?!\?)")


PGPASS_MARKS = (":5432:", ":5433:", ":6432:", ":*:")
"""The ports in a line of a password file of PostgreSQL."""

SHAPED_FORMATS: tuple[ShapedFormat, ...] = (
    ShapedFormat(
        "jwt",
        "RFC 7519",
        ("ey",),
        r"ey[A-Za-z0-9](?<![A-Za-z0-9]ey[A-Za-z0-9])[\w=-]{6,4000}\.[\w=/-]{6,8000}(?:\.[\w.+/=-]{0,4000})?",
        "gitleaks",
    ),
    ShapedFormat("jwt", "RFC 7519", ("ZXlK",), r"\bZXlK[A-Za-z0-9/_+-]{45,8000}={0,2}", "gitleaks", random=True),
    ShapedFormat(
        "aws-key",
        "Amazon Web Services",
        ("aws",),
        r"(?i)aws[\w .-]{0,20}?(?:key|pw|pass|token)[\w .'\"-]{0,20}?(?:=>|"
        r"[=:,]){1,2}\s{0,4}['\"]?([0-9A-Za-z/+]{40})(?![0-9A-Za-z/+=])",
        "detect-secrets",
        folded=True,
    ),
    ShapedFormat(
        "azure-key",
        "Microsoft Entra",
        ("Q~",),
        r"(?<![A-Za-z0-9_~.])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])",
        "gitleaks",
    ),
    ShapedFormat(
        "azure-key",
        "Azure",
        ("JQQJ99", "AAAC", "+ASt", "+ACR", "AzSe", "AzFu", "+ASb", "+AEh", "ACDb", "AIoT", "APIM"),
        r"(?<![A-Za-z0-9+/])(?:[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{16,26}|[A-Za-z0-9+/]{32,76}(?:\+ASt|"
        r"\+ACR|AzSe|AzFu|\+ASb|\+AEh|ACDb|AIoT|APIM)[A-Za-z0-9+/]{5,10}={0,2})(?![A-Za-z0-9+/])",
        "github",
        random=True,
    ),
    ShapedFormat(
        "azure-signature", "Azure", ("sig=",), r"[?&;\"' ]sig=((?:[A-Za-z0-9+/]|%[0-9A-Fa-f]{2}){40,90}=?)", "github"
    ),
    ShapedFormat("mailchimp-key", "Mailchimp", ("-us",), r"(?<![0-9A-Za-z])[0-9a-f]{32}-us\d{1,2}(?!\d)", "gitleaks"),
    ShapedFormat(
        "mailgun-key",
        "Mailgun",
        ("-",),
        r"(?<![0-9A-Za-z-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9A-Za-z-])",
        "gitleaks",
    ),
    ShapedFormat(
        "telegram-token",
        "Telegram",
        (":",),
        r"(?<![0-9A-Za-z:])(?:\d{8,10}:[\w-]{35}|\d{5,16}:[Aa][\w-]{34})(?![\w-])",
        "detect-secrets",
        random=True,
    ),
    ShapedFormat(
        "discord-token",
        "Discord",
        (".",),
        r"(?<![\w-])[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])",
        "detect-secrets",
    ),
    ShapedFormat(
        "discord-webhook",
        "Discord",
        ("/api/webhooks/",),
        r"discord(?:app)?\.com/api/webhooks/\d{15,20}/([\w-]{40,100})",
        "github",
    ),
    ShapedFormat(
        "teams-webhook",
        "Microsoft Teams",
        ("/IncomingWebhook/",),
        r"/IncomingWebhook/([0-9a-z]{32}/[0-9a-zA-Z-]{36}(?:/[\w-]{1,60})?)",
        "gitleaks",
    ),
    ShapedFormat(
        "terraform-token",
        "HashiCorp Terraform",
        (".atlasv1.",),
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}(?![A-Za-z0-9])",
        "gitleaks",
    ),
    ShapedFormat(
        "maxmind-key",
        "MaxMind",
        ("_mmk",),
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])",
        "gitleaks",
    ),
    ShapedFormat("newrelic-key", "New Relic", ("NRAL",), r"(?<![A-Za-z0-9])[0-9a-f]{36}NRAL(?![A-Za-z0-9])", "github"),
    ShapedFormat(
        "facebook-token",
        "Meta",
        ("|", "%"),
        r"(?<![A-Za-z0-9])\d{15,16}(?:\||%7C|%)[0-9a-zA-Z_-]{27,40}(?![A-Za-z0-9])",
        "gitleaks",
        random=True,
    ),
    ShapedFormat(
        "twitter-token",
        "X",
        ("twitter",),
        r"(?i)twitter[\w .'\"-]{0,30}(?:=>|:=|[=:,])[\s'\"=]{0,5}(\d{15,25}-[A-Za-z0-9]{20,40})(?![A-Za-z0-9])",
        "gitleaks",
        folded=True,
    ),
    ShapedFormat(
        "npm-token",
        "npm",
        (":_authtoken", ":_password", ":_auth"),
        r"(?i):_(?:authToken|password|auth)\s{0,3}=\s{0,3}\"?([\w+/=.-]{16,400})",
        "detect-secrets",
        folded=True,
    ),
    ShapedFormat(
        "nuget-password",
        "NuGet",
        ("<add key=",),
        r"(?i)<add key=\"(?:cleartext)?password\"\s{1,4}value=\"([^\"\n]{8,200})\"",
        "gitleaks",
        folded=True,
    ),
    ShapedFormat(
        "freemius-key",
        "Freemius",
        ("secret_key",),
        r"(?i)['\"]secret_key['\"]\s{0,9}=>\s{0,9}['\"](sk_\S{29})['\"]",
        "gitleaks",
        folded=True,
    ),
    ShapedFormat(
        "sumologic-key",
        "Sumo Logic",
        ("sumo",),
        r"(?i:sumo)[ \t\w.-]{0,30}['\"\s]{0,3}(?:=>|:?=|[:,])['\"`\s]{0,4}"
        r"(su(?=[a-z]{0,11}[A-Z0-9])[A-Za-z0-9]{12})(?![\w-])",
        "gitleaks",
        folded=True,
    ),
    ShapedFormat(
        "sidekiq-secret",
        "Sidekiq",
        ("contribsys",),
        r"(?i)contribsys[ \t\w.-]{0,20}['\"]?\s{0,3}(?:=>|:?=|[:,])['\"`\s]{0,4}"
        r"([0-9a-f]{8}:[0-9a-f]{8})(?![0-9a-f])",
        "gitleaks",
        folded=True,
    ),
    ShapedFormat(
        "zapier-webhook",
        "Zapier",
        ("hooks.zapier.com/",),
        r"hooks\.zapier\.com/hooks/catch/(\d{4,12}/[0-9a-z]{6,20})",
        "github",
    ),
    ShapedFormat(
        "wireguard-key",
        "WireGuard",
        ("privatekey", "presharedkey"),
        r"(?i)(?:Private|Preshared)Key\s{0,4}=\s{0,4}([A-Za-z0-9+/]{43}=)",
        "issuer",
        folded=True,
    ),
    ShapedFormat(
        "password",
        "Addresses with a password",
        ("://",),
        r"://[^\s:/@'\"<>]{0,128}:([^\s@/'\"<>]{1,256})@(?=[\w\[])",
        "detect-secrets",
    ),
    ShapedFormat(
        "netrc-password",
        "netrc",
        ("login ",),
        r"(?:\bmachine[ \t]{1,4}\S{1,255}|\bdefault)"
        r"\s{1,8}login[ \t]{1,4}\S{1,255}\s{1,8}(?:account[ \t]{1,4}\S{1,255}\s{1,8})?password[ \t]{1,4}(\S{1,255})",
        "issuer",
        folded=True,
    ),
    ShapedFormat(
        "pgpass-password",
        "PostgreSQL",
        PGPASS_MARKS,
        r"(?m)^[ \t>]{0,8}[\w.*\\-]{1,255}:(?:5432|5433|6432|\*):[^\s:]{1,63}:[^\s:]{1,63}:([^\s:]{3,255})[ \t]*$",
        "issuer",
    ),
    ShapedFormat(
        "curl-password",
        "curl",
        ("curl",),
        r"\bcurl\b(?:[^\n]|\\\r?\n){0,400}?\s(?:-u|--user|--proxy-user|"
        r"-U)[ =]{0,3}['\"]?[^\s:'\"$<{]{0,128}:([^\s'\"]{2,256})",
        "gitleaks",
    ),
    ShapedFormat(
        "curl-password",
        "curl",
        ("curl",),
        r"\bcurl\b(?:[^\n]|\\\r?\n){0,200}?\s(?:-u|--user|--proxy-user|-U)[ =]{0,3}"
        r"(?:\"[^\":\n$<{]{0,128}:(?=[^\"\n]{2,256}\")|'[^':\n$<{]{0,128}:(?=[^'\n]{2,256}'))"
        r"([^\s$<{][^\n]{1,100}?)(?=['\"](?:\s|$))",
        "gitleaks",
    ),
    ShapedFormat(
        "curl-password",
        "curl",
        ("curl",),
        r"\bcurl\b(?:[^\n]|\\\r?\n){0,200}?\s(?:-u|--user|--proxy-user|-U)[ =]{0,3}"
        r"(?:\"[^\"\n$<{]{1,128}\"|'[^'\n]{1,128}'|[\w@.-]{1,128})"
        r":(?=(?:\"[^\"\n]{1,256}\"|'[^'\n]{1,256}')(?:\s|$))['\"]([^\s$<{][^\n]{1,256}?)(?=['\"](?:\s|$))",
        "gitleaks",
    ),
    ShapedFormat(
        "curl-password",
        "curl",
        ("curl",),
        r"\bcurl\b(?:[^\n]|\\\r?\n){0,200}?\s(?:-u|--user|-U)[ =]{0,3}"
        r"['\"]?([^\s:\"$<{][^:\"\n]{10,256}):['\"]?(?=\s|$)",
        "gitleaks",
        random=True,
    ),
    ShapedFormat(
        "curl-header",
        "curl",
        ("curl",),
        r"curl\b(?:[^\n\\]|\\\r?\n|\\.){0,400}?\s(?:-H|--header)[ =]{0,3}['\"]?"
        r"(?:[\w-]{0,40}(?:[Aa]uth|[Kk]ey|KEY|[Tt]oken|TOKEN)[\w-]{0,20}):[ \t]{0,4}"
        r"(?:(?:Bearer|Basic|Token|Api-Token)[ \t])?([\w=~@.+/-]{8,4096})",
        "gitleaks",
        random=True,
    ),
    ShapedFormat(
        "command-password",
        "sshpass and mysql",
        ("sshpass", "mysql"),
        r"\b(?:sshpass[ \t]{1,4}-p[ \t]{0,4}|mysql(?:dump|admin)"
        r"?\b[^\n]{0,200}?[ \t]-p)['\"]?([^\s'\"$<{-][^\s'\"]{3,128})",
        "issuer",
    ),
    *(
        ShapedFormat(
            "session-cookie",
            "Web servers",
            (name,),
            re.escape(name) + r"([\w%.+/:~-]{16,4096}={0,2})",
            "issuer",
            random=True,
        )
        for name in (
            "PHPSESSID=",
            "JSESSIONID=",
            "ASP.NET_SessionId=",
            "connect.sid=",
            "sessionid=",
            "session_id=",
            "session=",
        )
    ),
)
"""Formats that are known by what is in or around them."""

VENDORS = (
    "adafruit|adobe|airtable|algolia|alibaba|asana|atlassian|"
    "beamer|bitbucket|bittrex|cloudflare|codecov|cohere|coinbase"
    "|confluen(?:t|ce)|contentful|co_api_key|datadog|discord|droneci|dropbox|etsy|facebook|fastly|finicity|finnhub"
    "|flickr|freshbooks|gitter|gocardless|heroku|hubspot|intercom|jfrog|artifactory|bintray|xray|jira|kraken|kucoin"
    "|launchdarkly|linear|linkedin|linked_in|linked-in|lob|looker|mailgun|mattermost|meraki|message[_-]?bird|netlify"
    "|new-?_?relic|nytimes|newyorktimes|new-york-times|okta|plaid|private[_-]?ai|rapidapi|sendbird|sentry|snyk"
    "|sonar|squarespace|sumo|telegr|travis|twitch|twitter|yandex|"
    "zendesk|mistral|together|pagerduty|postmark|vonage|nexmo"
)
"""Issuers whose keys have no mark of their own. A random value assigned to a name that contains one is a key.

Source: the rules of gitleaks 8 that need the issuer's name beside the key."""
