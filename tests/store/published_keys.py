"""A random key of each published format, made when it is asked for, so that no scanner takes it for a real one.

A template describes a format independently of the expressions that recognise it: `{a36}` stands for 36 letters and
digits, `h` for hexadecimal digits, `l` for lower-case letters and digits, `u` for upper-case letters and digits, `d`
for digits, `w` for letters, digits, `_` and `-`, `b` for base64, `g` for a UUID. The formats are those of gitleaks'
default rules, GitHub's list of secret scanning patterns and the issuers' documentation.
"""

from __future__ import annotations

import random
import re
import string
import uuid

_CHARACTERS = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "d": string.digits,
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
}
_PART = re.compile(r"\{([ahludwb])(\d+)\}|\{(g)\}")

_TEMPLATES = """
ghp_{a36} gho_{a36} ghu_{a36} ghs_{a36} ghr_{a36} github_pat_{a22}_{a59} glpat-{w20} gldt-{w20} glrt-{w20} glft-{w20}
glffct-{w20} glimt-{w25} glagent-{w50} gloas-{h64} glsoat-{w20} glptt-{h40} glcbt-{a2}_{w20} GR1348941{w20} npm_{a36}
pypi-AgEIcHlwaS5vcmc{w80} rubygems_{h48} oy2{l43} CLOJARS_{l60} dckr_pat_{w27} AKCp{a69} cmVmd{a59} ATATT3{w186}
ATBB{a32} sgp_{h40} sgp_{h16}_{h40} sha256~{a43} CCIPAT_{a22}_{h40} bkua_{h40} ddp_{a36} AKIA{u16} ASIA{u16} ABIA{u16}
ACCA{u16} ABSK{b109} AIza{w35} ya29.{w120} GOCSPX-{w28} 1//0{w60} dop_v1_{h64} doo_v1_{h64} dor_v1_{h64} LTAI{a20}
AKID{a32} v1.0-{h24}-{h146} fo1_{a43} fm2_{b120} HRKU-AA{a58} tk-us-{a48} rnd_{a32} nfp_{a36} napi_{l64} sbp_{h40}
sb_secret_{w31} pscale_tkn_{a43} pscale_pw_{a43} pscale_oauth_{a43} mdb_sa_sk_{w40} AVNS_{w19} 4b1d{a38} dapi{h32}
dapi{h32}-2 AQVN{a36} hvs.{a95} hvb.{a150} dp.pt.{a43} dp.st.dev.{a43} pul-{h40} pnu_{a36} ico-{a32}
pat.{a22}.{a24}.{a20} API-{u26} tskey-auth-{a16}-{a32} dnkey-{a26}-{a52} AGE-SECRET-KEY-1{u58}
A3-{u6}-{u11}-{u5}-{u5}-{u5} ops_eyJ{b300} SCW{u17} glsa_{a32}_{h8} glc_{b60} eyJrIjoi{a90} NRAK-{u27} NRII-{a32}
NRJS-{h19} {h36}NRAL dt0c01.{u24}.{u64} sntrys_eyJpYXQiO{b60}_{b43} sntryu_{h64} hcaik_{l58} phx_{a43} squ_{h40}
snyk_uat.{h8}.{a60} hawk.{a20}.{a20} sk_live_{a24} sk_test_{a24} rk_live_{a24} rk_test_{a99} whsec_{a32} sq0csp-{a43}
sq0atp-{a22} EAAA{a60} shpat_{h32} shpca_{h32} shppa_{h32} shpss_{h32} FLWSECK_TEST-{h32}-X shippo_live_{h40}
EZAK{a54} EZTK{a54} duffel_test_{a43} live_{h35} access_token$production${l16}${h32} access-sandbox-{g} rzp_live_{a14}
xoxb-{d12}-{d12}-{a24} xoxp-{d12}-{d12}-{d12}-{h32} xoxa-2-{d12}-{d12}-{h32} xoxe-1-{a146} xoxe.xoxp-1-{u163}
xapp-1-{u11}-{d13}-{h64} https://hooks.slack.com/services/T{u8}/B{u8}/{a24} SG.{a22}.{a43} xkeysib-{h64}-{a16}
key-{h32} {h32}-{h8}-{h8} {h32}-us12 SK{h32} AC{h32} zpka_{a32}_{h8} os_v2_app_{l104} sk-ant-api03-{w93}AA
sk-ant-admin01-{w93}AA sk-proj-{a74}T3BlbkFJ{a74} sk-svcacct-{a74} sk-{a20}T3BlbkFJ{a20} sk-or-v1-{h64} sk-{h32}
hf_{a34} api_org_{a34} gsk_{a52} xai-{a80} pplx-{a48} r8_{a37} nvapi-{w64} lsv2_pt_{h32}_{h10} sk-lf-{g} pcsk_{a70}
tvly-dev-{a32} pa-{a43} csk-{l48} sk_{h48} lin_api_{a40} lin_oauth_{h64} ntn_{d11}{a35} secret_{a43} figd_{a40}
pat{a14}.{h64} 1/{d16}:{h32} PMAK-{h24}-{h34} rdme_{l70} tfp_{a44} CFPAT-{w43} pat-na1-{g} p8e-{a32} fio-u-{a64}
pk.{a60}.{a22} sk.{a70}.{a22} sl.{a140} EAAM{a120} AAAAAAAAAAAAAAAAAAAAAA{a90} s-s4t2ud-{h64} sm_pat_{a16}
sc_{l10}.{l5}.acc_{l12}.{a40} {d9}:{a35} M{a25}.{a6}.{a38} {a14}.atlasv1.{a65} {a6}_{a29}_mmk {a3}8Q~{a34} {d16}|{w30}
_gitlab_session={l32} AccountKey={b86}== {a52}JQQJ99{a26} apify_api_{a36} pina_{u64} samsara_api_{a30} waka_{g}
1000.{h32}.{h32} bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{b60} eyJhbGciOiJIUzI1NiJ9.{a40}.{w43}
https://discord.com/api/webhooks/{d18}/{w68} ovsxat_{g} sntrya_{h64} ngrok_{a44}
"""
BARE = _TEMPLATES.split()
"""Keys that are recognised wherever they stand."""

IN_CONTEXT = (
    ("aws_secret_access_key = '{}'", "{b40}"),
    ("https://account.blob.core.windows.net/c?sv=2024&sig={}%3D", "{a43}"),
    ("redis://:{}@host:6379/0", "{a9}"),
    ("amqps://user:{}@host/v", "{a9}"),
    ("postgresql+asyncpg://user:{}@db:5432/x", "{a12}"),
    ('{"auths": {"registry.example": {"auth": "{}"}}}', "{a15}"),
    ("machine api.example login me password {}", "{a8}"),
    ("machine api.example\n  login me\n  password {}\n", "{a8}"),
    ("db.example:5432:app:me:{}", "{a10}"),
    ('const myAdafruitKey = "{}"', "{l32}"),
    ("curl -u me:{} https://api.example", "{a10}"),
    ("curl -sSf --user 'me:{}' https://api.example", "{a10}"),
    ("curl -H 'X-Api-Key: {}' https://api.example", "{a14}"),
    ("curl --user 'me with a blank:{}' https://api.example", '{a5} "{a5}'),
    ('curl -u "me:{}" https://api.example', "{a5} '{a5}"),
    ("curl -u 'me':'{}' https://api.example", "{a5}:{a5}"),
    ("curl --user me:'{}' https://api.example", "{a5} {a5}"),
    ("curl -u '{}:' https://api.example", "{a5}!{a9}"),
    ('administrator_login_password = "{}"', "9de9q1{a3}"),
    ('"secret_key" => "{}"', "sk_b$'*{{a12}\\({a10}"),
    ("sumologic.accessId = '{}'", "su{a12}"),
    ("BUNDLE_ENTERPRISE__CONTRIBSYS__COM_VALUE := `{}`", "{h8}:{h8}"),
    ("bitbucketKey => '{}'", "{a9}={a9}={a20}"),
    ("token of the test: {}", "ZXlKaGJHY2lPaU{a80}"),
    ("Cookie: theme=dark; sessionid={}; lang=en", "{l32}"),
    ("Set-Cookie: connect.sid={}; HttpOnly", "{a40}"),
    ("JSESSIONID={}", "{u32}"),
    ("PHPSESSID={}", "{l26}"),
    ("//registry.example/:_authToken={}", "{a36}"),
    ("[Interface]\nPrivateKey = {}", "{b43}="),
    ("sshpass -p {} ssh host", "{a10}"),
    ("mysql -u me -p{} app", "{a10}"),
    ("kind: Secret\ndata:\n  password: {}\n", "{a20}"),
    ("okta: SSWS {}", "00{w40}"),
    ("BUNDLE_ENTERPRISE__CONTRIBSYS__COM={}", "{h8}:{h8}"),
    ('<add key="Password" value="{}" />', "{a12}"),
    *(
        (form, "{h32}")
        for vendor in (
            *(
                "adafruit",
                "algolia",
                "asana",
                "bittrex",
                "codecov",
                "datadog",
                "discord",
                "dropbox",
                "fastly",
                "finicity",
            ),
            *("flickr", "heroku", "intercom", "kraken", "launchdarkly", "looker", "mattermost", "netlify", "newrelic"),
            *("okta", "plaid", "rapidapi", "sendbird", "sentry", "snyk", "squarespace", "twitch", "twitter", "zendesk"),
        )
        for form in (f"{vendor} = '{{}}'", f'{vendor}Id: "{{}}"')
    ),
)
"""Texts around keys that have no mark of their own, and the keys."""


def make(template: str, chance: random.Random) -> str:
    """Return a key of a format; at least every second of its longer parts has a digit."""

    def part(match: re.Match[str]) -> str:
        if match[3]:
            return str(uuid.UUID(int=chance.getrandbits(128), version=4))
        characters, length = _CHARACTERS[match[1]], int(match[2])
        drawn = [chance.choice(characters) for _ in range(length)]
        if length > 6:  # the first and the last character are no signs; letters and digits are both there
            drawn[0], drawn[-1] = chance.choice("bcdf"), chance.choice("bcdf")
            drawn[1], drawn[length // 2] = "7", "3"
            drawn[0] = drawn[0].upper() if match[1] == "u" else drawn[0]
            drawn[-1] = drawn[-1].upper() if match[1] == "u" else drawn[-1]
            if match[1] == "d":
                drawn = [chance.choice("123456789") for _ in range(length)]
        return "".join(drawn)

    return _PART.sub(part, template)
