"""Tokens that can be told by their shape alone, because their issuer gave them one.

A rule has marks: plain substrings, lower case, one of which its tokens always hold. Only where a mark
stands in the text is the pattern compiled and searched, so that ordinary text costs no regular
expression at all. Patterns match ASCII words only: a Chinese character may stand right before a token.
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """One kind of credential; group 1 of ``pattern``, where it has one, is the secret part."""

    kind: str
    marks: tuple[str, ...]
    pattern: str


RULES: tuple[Rule, ...] = (
    Rule(
        "private key",
        ("private key", "putty-user-key", "age-secret-key"),
        r"BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1[0-9A-Z]{40,}",
    ),
    Rule(
        "AWS access key",
        ("akia", "asia", "abia", "acca", "a3t"),
        r"\b(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}\b",
    ),
    Rule("Alibaba Cloud access key", ("ltai",), r"\bLTAI[A-Za-z0-9]{12,28}\b"),
    Rule("Tencent Cloud secret id", ("akid",), r"\bAKID[A-Za-z0-9]{28,40}\b"),
    Rule(
        "GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"(?:\b|_)(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,})",
    ),
    Rule(
        "GitLab token",
        ("glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "glcbt-", "glimt-", "glptt-", "glagent-", "gloas-")
        + ("gr1348941",),
        r"\bgl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-[\w-]{20,}|\bGR1348941[\w-]{20,}",
    ),
    Rule("Slack token", ("xox", "xapp-"), r"\bxox[abceoprs]-(?:\d+-)?[\w-]{10,}|\bxapp-\d-[A-Z0-9]+-[\w-]+"),
    Rule("Slack webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/(?:services|workflows)/[\w/]{20,}"),
    Rule("Discord webhook", ("/api/webhooks/",), r"discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}"),
    Rule(
        "Stripe key",
        ("k_live_", "k_test_", "whsec_"),
        r"\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}|\bwhsec_[\w+/=]{24,}",
    ),
    Rule("Google API key", ("aiza",), r"\bAIza[\w-]{30,}"),
    Rule(
        "Google OAuth secret",
        ("gocspx-", "ya29.", "1//0"),
        r"\bGOCSPX-[\w-]{20,}|\bya29\.[\w-]{20,}|\b1//0[\w-]{40,}",
    ),
    Rule("Anthropic key", ("sk-ant-",), r"\bsk-ant-[\w-]{20,}"),
    Rule("OpenAI key", ("sk-",), r"\bsk-(?=[\w-]*\d)(?=[\w-]*[A-Za-z])(?:[a-z0-9]+-){0,2}[A-Za-z0-9_-]{20,}"),
    Rule("Hugging Face token", ("hf_",), r"\bhf_[A-Za-z0-9]{30,}"),
    Rule(
        "model service key",
        ("gsk_", "xai-", "pplx-", "r8_", "nvapi-"),
        r"\b(?:gsk_|xai-|pplx-|r8_|nvapi-)[\w-]{32,}",
    ),
    Rule("JSON web token", ("eyj",), r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?"),
    Rule("SendGrid key", ("sg.",), r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
    Rule("npm token", ("npm_", "_authtoken"), r"\bnpm_[A-Za-z0-9]{30,}|:_authToken=\s*[\w-]{30,}"),
    Rule("PyPI token", ("pypi-age",), r"\bpypi-AgE[\w-]{40,}"),
    Rule(
        "registry token",
        ("dckr_", "rubygems_", "cio"),
        r"\bdckr_(?:pat|oat)_[\w-]{20,}|\brubygems_[0-9a-f]{48}|\bcio[A-Za-z0-9]{32}\b",
    ),
    Rule("Twilio key", ("sk", "ac"), r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    Rule("Mailchimp key", ("-us",), r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    Rule("Mailgun key", ("key-",), r"\bkey-[0-9a-zA-Z]{32}\b"),
    Rule("Telegram bot token", (":aa", ":"), r"\b\d{8,10}:[\w-]{35}(?![\w-])"),
    Rule("Discord bot token", (".",), r"\b[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40}"),
    Rule(
        "Azure key",
        ("accountkey=", "sharedaccesskey=", "sig="),
        r"(?:AccountKey|SharedAccessKey)=[\w+/=]{40,}|[?&]sig=[\w%+/=-]{40,}",
    ),
    Rule("DigitalOcean token", ("_v1_",), r"\bdo[opr]_v1_[0-9a-f]{40,}"),
    Rule("Shopify token", ("shp",), r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    Rule("Square token", ("sq0", "eaaa"), r"\bsq0[a-z]{3}-[\w-]{22,}|\bEAAA[A-Za-z0-9_-]{56,}"),
    Rule("Meta token", ("eaa",), r"\bEAA[A-Z][A-Za-z0-9]{80,}"),
    Rule("Databricks token", ("dapi",), r"\bdapi[0-9a-f]{32}"),
    Rule(
        "Artifactory credential", ("akc", "cmvmd"), r"(?<![\w+/])AKC[A-Za-z0-9]{30,}|\bcmVmd[A-Za-z0-9]{50,}"
    ),
    Rule("Vault token", ("hvs.", "hvb.", "hvr."), r"\bhv[sbr]\.[\w-]{24,}"),
    Rule("Atlassian token", ("atatt3", "atctt3"), r"\bAT[AC]TT3[\w=-]{40,}"),
    Rule("Airtable token", ("pat",), r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    Rule("Dropbox token", ("sl.",), r"\bsl\.(?:u\.)?[\w-]{60,}"),
    Rule("Notion token", ("secret_", "ntn_"), r"\bsecret_[A-Za-z0-9]{43}\b|\bntn_[A-Za-z0-9]{40,}"),
    Rule("Linear key", ("lin_",), r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    Rule("Figma token", ("figd_",), r"\bfigd_[\w-]{30,}"),
    Rule("Grafana token", ("glc_", "glsa_"), r"\bgl(?:c|sa)_[\w+/=]{30,}"),
    Rule("New Relic key", ("nrak-", "nrii-"), r"\bNR(?:AK|II)-[A-Z0-9a-z-]{27,}"),
    Rule("Postman key", ("pmak-",), r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    Rule("Sentry token", ("sntry",), r"\bsntry[su]_[\w+/=-]{40,}"),
    Rule("Supabase token", ("sbp_", "sb_secret_"), r"\bsbp_[0-9a-f]{40}|\bsb_secret_[\w-]{20,}"),
    Rule("PlanetScale token", ("pscale_",), r"\bpscale_(?:tkn|pw|oauth)_[\w.=-]{30,}"),
    Rule("Tailscale key", ("tskey-",), r"\btskey-[a-z]+-[\w-]{20,}"),
    Rule(
        "hosting token",
        ("nfp_", "fo1_", "pul-", "hrku-", "rnd_"),
        r"\bnfp_\w{36,}|\bfo1_[\w-]{40,}|\bpul-[0-9a-f]{40}|\bHRKU-[\w-]{30,}|\brnd_[A-Za-z0-9]{28,}",
    ),
    Rule("Doppler token", ("dp.",), r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]+\.)?[A-Za-z0-9]{40,}"),
    Rule("one-time password secret", ("otpauth://",), r"otpauth://\S*[?&]secret=[A-Za-z2-7]{12,}"),
    Rule("SoftLayer key", ("api.softlayer.com",), r"api\.softlayer\.com/soap/v3(?:\.1)?/[a-z0-9]{64}"),
)
"""In the order in which they are told: where several match one token, the first names it."""
