"""Credentials are told from what people write; every value here is made up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutsync.core.credentials import find_credential, find_credentials

TOLD = [
    ("the wifi password is hunter2", "password"),
    ("密码是 Abc@12345，别告诉别人", "password"),
    ("登录密码：Tr0ub4dor&3", "password"),
    ("DB_PASSWORD=maple-otter77", "password"),
    ("changed the admin password to Winter2031!", "password"),
    ("user ben pw S3cure!pass works again", "password"),
    ("**password:** `copper.otter38`", "password"),
    ("the PIN is 4821", "password"),
    ("api_key: 9f86d081884c7d659a2feaa0c55ad015", "API key or token"),
    ("Heroku api key is 01234567-89ab-4cde-8f01-23456789abcd", "API key or token"),
    ("Authorization: Bearer f3Rk0a9QpZ81kd72LmXv", "API key or token"),
    ("密钥为 f3Rk0a9QpZ81kd72LmXv", "API key or token"),
    ("db at postgres://app:s3cr3tpw@db.example.net/main", "address with a password"),
    ("curl -u ana:S3cure-pass9 https://example.net", "password"),
    ("AKIAQWERTYUIOPASDF12 用于部署", "AWS access key"),
    ("部署用ghp_0123456789abcdefghijABCDEFGHIJ456789这个", "GitHub token"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----", "private key"),
    ("it said Zk3Jq9Lw0Rt6Yh2Vb8Nm4Xc7Ds1Fg5PaQ9w2Hd7K and no more", "random key"),
    ("seed phrase: " + "maple otter copper violet harbour meadow saturn basil cedar linen ivory hazel",
     "recovery phrase"),
]  # fmt: skip

HONEST = [
    "the password is required, and the secret is patience",
    "The token expires in 30 days; max tokens: 4096",
    "api_key = os.environ['API_KEY']",
    "password: ${DB_PASSWORD}, token: <your-token>, secret: {{ secret }}",
    "password: ********",
    "see commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "https://docs.example.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
    "model key: gpt-4o-mini-2024-07-18, auth: oauth2",
    "secret: config/secrets.yaml",
    "the pin is on the map; ping: 4821",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJc7Qm2bV0sX3l9T5yZk8Rw1Nf6Hd4Pg7Ua0Oe2Mi5Lb ana@desk",
    "integrity sha512-Zk3Jq9Lw0Rt6Yh2Vb8Nm4Xc7Ds1Fg5PaZk3Jq9Lw0Rt6Yh2Vb8Nm4Xc7Ds1Fg5Pa==",
    "http://user:password@localhost is the form of an address",
    "the sheet 1W71Fly_O8subp2owe6OF6l1B_Xr7pQzKd3mTn8vB has the numbers",
    "call MyVeryLongCamelCaseFunctionNameForTestingThings2 first",
    "ghp_ is how GitHub's tokens begin",
    "密码学 is cryptography; 忘记密码怎么办",
    "9月30日 晴。无事。",
]


@pytest.mark.parametrize(("text", "kind"), TOLD, ids=[str(n) for n in range(len(TOLD))])
def test_a_credential_is_named_by_its_kind(text: str, kind: str) -> None:
    found = find_credential(text)
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize("text", HONEST, ids=[str(n) for n in range(len(HONEST))])
def test_words_about_secrets_are_no_secrets(text: str) -> None:
    assert [one.kind for one in find_credentials(text)] == []


def test_the_line_is_told_and_the_value_is_not_shown() -> None:
    found = find_credential("first line\nthe password: hunter2x\nlast")
    assert found is not None
    assert found.line == 2
    assert "hunter2x" not in repr(found)


@given(st.text(max_size=300))
def test_no_text_breaks_the_search(text: str) -> None:
    for found in find_credentials(text):
        assert 1 <= found.line <= text.count("\n") + 1


@given(st.from_regex(r"(?:[a-z]{2,9}[ ,.]){3,40}", fullmatch=True))
def test_plain_words_are_never_refused(text: str) -> None:
    assert find_credential(text) is None
