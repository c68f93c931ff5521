"""Credentials in text: what kind, and on which line; the value itself never leaves this room (design §6).

Two ways lead to one: the shape of an issuer's tokens (`issued`), and words such as `password:` with
something behind them that nobody would write as prose (`named`).
"""

from __future__ import annotations

from nutsync.core.credentials.find import Credential, find_credential, find_credentials
from nutsync.core.credentials.second_look import is_worth_a_second_look

__all__ = ["Credential", "find_credential", "find_credentials", "is_worth_a_second_look"]
