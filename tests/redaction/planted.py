"""Secrets of many kinds, each in the words in which logs, settings and commands hold it. All are invented."""

from __future__ import annotations

import base64
import random
import string
from dataclasses import dataclass

_LETTERS = string.ascii_letters + string.digits


def _random(name: str, length: int, letters: str = _LETTERS) -> str:
    """Letters that are the same in every run and hold a digit and both cases at the front."""
    chance = random.Random(name)  # noqa: S311 - invented secrets
    return "q7Z"[: length if letters is _LETTERS else 0] + "".join(chance.choices(letters, k=max(0, length - 3)))


def _hex(name: str, length: int) -> str:
    return "".join(random.Random(name).choices("0123456789abcdef", k=length))  # noqa: S311


@dataclass(frozen=True, slots=True)
class Planted:
    """`text` holds `secret`; `parts` are what must not be seen of it."""

    kind: str
    text: str
    secret: str

    @property
    def parts(self) -> tuple[str, ...]:
        """The secret and, of a long one, its beginning and its end."""
        return (self.secret,) if len(self.secret) < 24 else (self.secret, self.secret[-16:], self.secret[8:24])


def _planted(kind: str, template: str, secret: str) -> Planted:
    return Planted(kind, template.replace("{}", secret), secret)


_LOGIN = base64.b64encode(b"anna:" + _random("docker", 14).encode()).decode()
_TEMPLATES: tuple[tuple[str, str, str], ...] = (
    ("Hugging Face", "huggingface_hub: using token {} from the environment", "hf_" + _random("hf", 34)),
    ("OpenAI", "client configured with {}", "sk-proj-" + _random("openai", 48)),
    ("Anthropic", "judge key: {}", "sk-ant-api03-" + _random("anthropic", 60)),
    ("AWS key id", "using credentials {} of profile bench", "AKIA" + _random("aws", 16, string.ascii_uppercase)[:13] + "Q7Z"),
    ("AWS secret", "aws_secret_access_key = {}", _random("aws secret", 38) + "/+"),
    ("AWS session", "AWS_SESSION_TOKEN={}", "IQoJb3JpZ2lu" + _random("session", 60) + "=="),
    ("GitHub", "git clone failed for {}", "ghp_" + _random("github", 36)),
    ("GitHub, fine", "fetching with github_pat: {}", "github_pat_" + _random("pat", 60)),
    ("GitLab", "registry login with {}", "glpat-" + _random("gitlab", 20)),
    ("Slack", "notifier uses {}", "xoxb-" + _hex("slack", 12) + "-" + _random("slack", 24)),
    ("Slack hook", "POST https://hooks.slack.com/services/{} failed", "T0AB/B0CD/" + _random("hook", 24)),
    ("Discord hook", "alerts: https://discord.com/api/webhooks/{}", "1234567890/" + _random("discord", 60)),
    ("Telegram bot", "curl https://api.telegram.org/bot{}/sendMessage", "123456789:AA" + _random("telegram", 33)),
    ("JSON web token", "caller sent {}", f"eyJhbGciOiJIUzI1NiJ9.{_random('jwt', 40)}.{_random('jwt sign', 43)}"),
    ("key block", "tls: -----BEGIN PRIVATE KEY-----\\n{}\\n-----END PRIVATE KEY-----", _random("pem", 64)),
    ("SSH key block", "deploy: -----BEGIN OPENSSH PRIVATE KEY----- {} -----END OPENSSH PRIVATE KEY-----", _random("ssh", 70)),
    ("login in an address", "mirror https://anna:{}@mirror.example/simple", _random("basic", 14)),
    ("database", "DATABASE_URL=postgresql://bench:{}@db.example:5432/results", _random("database", 18)),
    ("broker", "celery broker amqp://guest:{}@mq:5672//", _random("broker", 12) + "#!"),
    ("bearer header", "request headers: Authorization: Bearer {}", _random("bearer", 40)),
    ("basic header", "'Authorization': 'Basic {}'", base64.b64encode(b"anna:" + _random("header", 12).encode()).decode()),
    ("API key header", "x-api-key: {}", _random("header key", 32)),
    ("Azure storage", "AccountName=acme;AccountKey={};EndpointSuffix=core.windows.net", _random("azure", 86) + "=="),
    ("Azure signature", "GET https://acme.blob.core.windows.net/m?sv=2024-11-04&sp=r&sig={}&se=2026", _random("sas", 42) + "%3D"),
    ("AWS signature", "GET https://b.s3.amazonaws.com/m?X-Amz-Expires=300&X-Amz-Signature={}", _hex("signature", 64)),
    ("Google key file", '{"type": "service_account", "private_key_id": "{}"}', _hex("gcp", 40)),
    ("Google API", "maps key {}", "AIza" + _random("google", 35)),
    ("Google client", "oauth: {}", "GOCSPX-" + _random("gocspx", 28)),
    ("Google access", "metadata server gave {}", "ya29." + _random("ya29", 60)),
    ("NVIDIA", "ngc: {}", "nvapi-" + _random("ngc", 64)),
    ("Weights & Biases", "WANDB_API_KEY={}", _hex("wandb", 40)),
    ("Weights & Biases login", "$ wandb login {}", "a1" + _hex("wandb login", 38)),
    ("npm", "//registry.npmjs.org/:_authToken={}", "npm_" + _random("npm", 36)),
    ("PyPI", "twine password is {}", "pypi-" + _random("pypi", 90)),
    ("Docker", '{"auths": {"registry.example": {"auth": "{}"}}}', _LOGIN),
    ("Docker Hub", "pull as anna with {}", "dckr_pat_" + _random("hub", 27)),
    ("docker login", "docker login registry.example -u anna -p {}", _random("docker login", 12) + "!,)&x"),
    ("password", "--ssl-keyfile-password {} --port 8000", "Tr0ub4dor,&)(3" + _random("password", 8)),
    ("environment", "export RESULTS_DB_PASSWORD={}", "p,a)s&s;w0rd" + _random("environment", 6)),
    ("a token by its name", "env: INTERNAL_GATEWAY_TOKEN={}, NCCL_DEBUG=INFO", "kestrel-falcon-" + _random("token", 5)),
    ("cookie", "Cookie: theme=dark; session={}; csrf=1", _random("cookie", 32)),
    ("curl", "curl -u anna:{} http://gpu-07:8000/metrics", _random("curl", 10) + ",x"),
    ("sshpass", "sshpass -p {} ssh gpu-07", _random("sshpass", 12)),
    ("Databricks", "workspace token {}", "dapi" + _hex("databricks", 32)),
    ("SendGrid", "mailer {}", f"SG.{_random('sg', 22)}.{_random('sendgrid', 43)}"),
    ("Stripe", "billing {}", "sk_live_" + _random("stripe", 24)),
    ("Tailscale", "tailscale up --authkey={}", "tskey-auth-" + _random("tailscale", 30)),
    ("password hash", "user entry {}", "$2b$12$" + _random("bcrypt", 53)),
    ("key without its end", "api_key='{}", _random("cut", 24)),
    ("two words later", "the password is {}, do not lose it", _random("prose", 14)),
    (
        "a password with commas",
        "psql host=db password={} user=bench",
        _random("commas", 6) + ",c=d,limit=" + _random("commas tail", 8),
    ),
    ("a connection string", "Server=db;Password={};Database=runs", _random("server", 6) + ",x=" + _random("server tail", 8)),
    ("a setting in quotes", "started with '--api-key={}'", _random("quotes", 6) + "&y=" + _random("quotes tail", 8)),
    ("kubeconfig", "    client-key-data: {}", _random("kube", 80)),
)

PLANTED: tuple[Planted, ...] = tuple(_planted(*one) for one in _TEMPLATES)
"""One of each kind."""
