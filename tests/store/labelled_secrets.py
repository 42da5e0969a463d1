"""Sentences as memories have them, each labelled: does it hold a secret that has no known format?

The secrets are drawn by a seeded generator when this is loaded, so that no scanner takes them for real ones; the
harmless ones are of the kinds that set off detectors of entropy: hashes, ids, paths, images, versions, code.
"""

from __future__ import annotations

import base64
import hashlib
import random
import string
import uuid

_CHANCE = random.Random(20260301)
_ALNUM = string.ascii_letters + string.digits
_SIGNS = _ALNUM + "!@#%^&*-_+="


def drawn(length: int, characters: str = _ALNUM) -> str:
    """Return a key of chance with at least one letter and one digit."""
    while True:
        key = "".join(_CHANCE.choice(characters) for _ in range(length))
        if any(c.isdigit() for c in key) and any(c.isalpha() for c in key) and key[0].isalnum() and key[-1].isalnum():
            return key


def _hex(length: int) -> str:
    return drawn(length, "0123456789abcdef")


def _base64(size: int) -> str:
    return base64.b64encode(_CHANCE.randbytes(size)).decode()


def _sha(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()


SECRETS: list[tuple[str, str]] = [
    (form.replace("{}", key), key)
    for form, key in [
        ('API_KEY = "{}"', drawn(32)),
        ("api_key: {}", drawn(40)),
        ("apiKey: '{}',", drawn(24)),
        ("export SERVICE_API_KEY={}", _hex(32)),
        ("The api key is {} for staging.", drawn(28)),
        ("secret = '{}'", drawn(20)),
        ("SECRET_KEY = '{}'", drawn(50, _SIGNS)),
        ("DJANGO_SECRET_KEY={}", drawn(50, _SIGNS)),
        ("client_secret={}", drawn(36)),
        ('clientSecret: "{}"', drawn(32)),
        ("CLIENT_SECRET: {}", _base64(24)),
        ('"client_secret": "{}"', drawn(40)),
        ("token: {}", _hex(40)),
        ("TOKEN={}", drawn(24)),
        ("access_token={}", drawn(64)),
        ('{"access_token": "{}", "n": 1}', drawn(43)),
        ("refreshToken = '{}'", drawn(48)),
        ('auth_token := "{}"', _hex(64)),
        ("authToken => '{}'", drawn(30)),
        ("Authorization: Bearer {}", drawn(40)),
        ("curl -H 'Authorization: Bearer {}' http://localhost", drawn(64)),
        ("Use the header Bearer {} for the crawler.", drawn(36)),
        ("Authorization: Basic {}", _base64(30)),
        ("--token {} was on the command line", drawn(32)),
        ("deploy --api-key={} --region eu", drawn(32)),
        ("psql --password {}", drawn(14)),
        ("password = '{}'", drawn(16)),
        ("password: {}", drawn(12)),
        ("Log in with password = {} on staging.", "hunter2hunter2"),
        ("The wifi password is {}.", "correct4horse9battery"),
        ("DB_PASSWORD={}", drawn(20)),
        ('POSTGRES_PASSWORD: "{}"', drawn(18)),
        ("The password is {}.", drawn(14)),
        ("the admin password was {} until March", drawn(13)),
        ("pwd={}", drawn(15)),
        ("db.passwd = {}", drawn(16)),
        ("passphrase: '{}'", drawn(22)),
        ("PASSWORD='{}'", drawn(16, _SIGNS)),
        ("redis_password: {}", drawn(32)),
        ("spring.datasource.password={}", drawn(16)),
        ("encryption_key = '{}'", _base64(32)),
        ("ENCRYPTION_KEY={}", _hex(64)),
        ("signing_key: {}", _hex(64)),
        ("jwt_secret: {}", drawn(40)),
        ("JWT_SECRET_KEY='{}'", drawn(43)),
        ("webhook_secret = {}", drawn(24)),
        ("session_secret: '{}'", _base64(36)),
        ("cookieSecret: '{}'", drawn(32)),
        ("private_key = '{}'", _hex(64)),
        ("account_key={}", _base64(48)),
        ("storage_secret={}", _base64(64)),
        ("DATADOG_API_KEY={}", _hex(32)),
        ("secrets['token'] = '{}'", drawn(32)),
        ("os.environ['API_TOKEN'] = '{}'", drawn(40)),
        ("key = '{}'", drawn(32)),
        ("key: {}", drawn(44)),
        ("credentials: {}", drawn(32)),
        ("API_SECRET `{}`", drawn(36)),
        ("secret_key_base: {}", _hex(128)),
        ("X-Api-Key: {}", drawn(40)),
        ("master_key={}", _hex(32)),
        ('auth_key = "{}"', drawn(32)),
    ]
]
"""(text, the secret in it)."""

HARMLESS: list[str] = [
    f"The fix is in {_sha('a')[:40]}.",
    f"commit {_sha('b')[:40]} broke the token refresh",
    f"sha256:{_sha('c')} is the image's digest",
    f"password hashes like {_sha('d')} are compared in constant time",
    f"password_hash = '{_sha('e')}'",
    f"token_hash: {_sha('f')}",
    f"cache_key = '{_sha('g')[:32]}'",
    f"cache_key: {drawn(24)}",
    f"key = '{_sha('h')[:40]}' in the cache of builds",
    f"key: {_sha('i')}",
    f"integrity sha512-{_base64(64)}",
    f"the md5 key {_sha('j')[:32]} is the blob's name",
    f"fingerprint = {_sha('k')[:40]}",
    f"public_key = '{_base64(32)}'",
    f"ssh-ed25519 {'AAAAC3NzaC1lZDI1NTE5AAAA'}{_base64(32)} host",
    f"host_key: ssh-ed25519 {_base64(32)}",
    f"idempotency_key: {drawn(32)}",
    f"primary_key = {drawn(20)}",
    f"partition_key={drawn(18)}",
    f"next_token={_base64(30)}",
    f"page_token: '{_base64(24)}'",
    f"cursor_token={_base64(24)}",
    f"key = {uuid.UUID(int=_CHANCE.getrandbits(128))}",
    f"token: {uuid.UUID(int=_CHANCE.getrandbits(128))} is the request's id",
    f"The session is {uuid.UUID(int=_CHANCE.getrandbits(128))}.",
    "key: 01kebyc880ah9a3vpgncac7708",
    "The id is 01kebyc880ah9a3vpgncac7708; see http://localhost:8080/path.",
    f"data:image/png;base64,{_base64(80)}",
    f"![logo](data:image/png;base64,{_base64(60)})",
    f"icon = 'data:image/svg+xml;base64,{_base64(60)}'",
    f"src={_base64(60)}",
    f"The fixture is {_base64(45)} and decodes to a tiny image.",
    "version = '1.24.3-rc.4+build.20260301'",
    "key = 'v2.13.0-beta.11'",
    "token = v1.2.3-alpha.20260301",
    "password = os.environ['DB_PASSWORD']",
    "Submit the form only when the password = field is filled.",
    "The password = pbkdf2sha256 digest of the salted input.",
    "password: sha256x509v3 is the name of that profile",
    "Set password = base64urldecode of the SHA256 value.",
    "The password is argon2id13 encoded, then ed25519 signed.",
    'token = os.environ["GITHUB_TOKEN_V2"]',
    "secret = config.get('jwt_secret_2')",
    "apiKey: process.env.API_KEY_2",
    "api_key = settings.API_KEY_PRODUCTION1",
    "token = self.tokenizer2.nextToken()",
    "password=${DB_PASSWORD_1}",
    "password: $POSTGRES_PASSWORD_9",
    "token: ${{ secrets.NPM_TOKEN_2 }}",
    "token: {{ vault_token_v2 }}",
    "password: <your-password-123>",
    "api_key = 'YOUR_API_KEY_1234567'",
    "api_key: your-api-key-here-0000",
    "API_KEY=changeme1234567890",
    "password = 'example-Password1'",
    "secret: xxxxxxxxxxxxxxxxxxxxxxx1",
    "token = '****************1234'",
    "password: [masked:password]",
    "password rules: at least 12 characters, one digit",
    "password: at least 12 characters",
    "The password is required.",
    "The password is stored as argon2id.",
    "the secret is rotated every 90 days",
    "The token is refreshed by refreshAccessToken2 in src/auth/tokens.py.",
    "The token is validated-by-middleware in every request.",
    "token: string | undefined",
    "token: Optional[AccessTokenV2]",
    "password: PasswordHasher",
    "secret: SecretStr = Field(min_length=32)",
    "secret_key = generate_secret_key(64)",
    "secretKeyRef: database-credentials-v2",
    "secret: my-app-database-credentials-v2",
    "secretName: ingress-tls-production-2",
    "key: app.kubernetes.io/managed-by-2",
    "key = 'users/2026/03/01/profile-picture.png'",
    "s3_key = 'backups/2026-03-01T12:00:00Z.tar.gz'",
    "key = 'user:1234567890:sessions'",
    "key: session-state-2026-03-01",
    "token_file: /run/secrets/api_token_v1",
    "password_file = /etc/postgresql/16/main/password",
    "private_key: ~/.ssh/id_ed25519_deploy",
    "private_key = ./certs/server-2026.pem",
    "credentials: ../config/credentials.json.age",
    "credentials = service_account_credentials_v2",
    "access_key is read from the instance's role",
    "api_key: https://docs.example.org/api-keys/v2",
    "auth_token: vault:secret/data/ci#token1",
    "secret_arn = arn:aws:secretsmanager:eu-west-1:123456789012:secret:db",
    "token_count = 12345678",
    "max_tokens: 1234567890",
    "token limit = 200000000",
    "tokens: 12_345_678_901",
    "The tokenizer is cl100k_base_v2_extended.",
    "token_type = 'urn:ietf:params:oauth:token-type:jwt'",
    "key = lambda item: item.created_at_2",
    "sort_key = 'createdAtDescending2'",
    "keyboard = 'qwertz105-de-latin1-nodeadkeys'",
    "monkey: 8f3k2j1h4g5f6d7s8a9p",
    "hotkey: Ctrl+Shift+F12+Alt",
    "issue_key = 'PROJ-12345-subtask-7'",
    "foreign_key: users_account_id_fk_01",
    "key=value pairs are separated by ';'",
    "key: the name of the 3rd column",
    "Keys are sorted: a1b2 before a1b3.",
    "The key is in docs/architecture.md, section 4.2.1.",
    "The secret is src/config/secrets.example.yaml.",
    "feature_flag_key = 'enable-new-checkout-flow-v2'",
    "translation_key: 'checkout.summary.total_v2'",
    "i18n key: checkoutSummaryTotalLabel2",
    "secret santa is on 2026-12-06 at 18:00",
    "bearer tokens expire after 3600 seconds",
    "Bearer authentication-with-refresh is used.",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $ACCESS_TOKEN_2",
    "--password-stdin is read by docker login since 17.07",
    "--token-file /run/secrets/token1",
    "pip install token-bucket==0.3.0 secretstorage==3.3.3",
    "password = getpass.getpass('Password1: ')",
    "secret = secrets.token_urlsafe(32)",
    "const token = await fetchTokenFromServer2();",
    "password = 'correct'",
    "pwd = /home/build/workspace/project-1",
    "cd $(pwd)/build-2026-03-01-x86_64",
    "tls_key_algorithm: ecdsa-p256-sha256-v2",
    'key = "kafka.consumer.group.id.v2"',
    "api_key_header = 'X-Api-Key-V2-Header'",
    "auth_key_algorithm = 'HMAC-SHA256-base64'",
]
