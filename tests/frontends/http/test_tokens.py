"""Tokens: who comes in, as whom, with which rights; and what is kept of them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from nutsync.core.errors import ErrCellFile, ErrName
from nutsync.core.web_errors import ErrUnknownToken
from nutsync.operations.tokens import add_token, list_tokens, revoke_token, token_json
from nutsync.store.tokens import find_token
from tests.support.web import HERE, House, refused, remember


def test_a_token_is_an_actor(house: House) -> None:
    entry = remember(house.client("ben"), "prefers dark mode")
    assert entry["actor"] == "ben"
    records = house.client("ben").get(f"{HERE}/audit", params={"op": "append"}).json()["records"]
    assert [record["actor"] for record in records] == ["ben"]


def test_without_a_token_this_machine_is_its_configured_actor_and_nobody_else(ana: TestClient) -> None:
    assert remember(ana, "likes tea")["actor"] == "ana"
    assert refused(ana.get(f"{HERE}/memory/counts", params={"actor": "ben"})) == (403, "ErrForbidden")
    assert refused(ana.get(f"{HERE}/context", params={"actor": "*"})) == (403, "ErrForbidden")
    body = {"layer": "about_me", "kind": "fact", "content": "x", "actor": "ben"}
    assert refused(ana.post(f"{HERE}/memory", json=body)) == (403, "ErrForbidden")


@pytest.mark.parametrize("peer", ["192.168.1.7", "10.0.0.1", "::ffff:10.0.0.1", "2001:db8::1", "testclient"])
def test_from_elsewhere_nobody_comes_in_without_a_token(house: House, peer: str) -> None:
    stranger = house.client(peer=peer)
    assert refused(stranger.get(f"{HERE}/memory/counts")) == (401, "ErrToken")
    assert refused(stranger.get("/cells")) == (401, "ErrToken")
    assert house.client("ben", peer=peer).get(f"{HERE}/memory/counts").status_code == 200


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "127.9.9.9", "::ffff:127.0.0.1"])
def test_every_loopback_address_is_this_machine(house: House, peer: str) -> None:
    assert house.client(peer=peer).get(f"{HERE}/memory/counts").status_code == 200


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
def test_what_came_through_a_proxy_is_not_this_machine(ana: TestClient, header: str) -> None:
    assert refused(ana.get(f"{HERE}/memory/counts", headers={header: "127.0.0.1"})) == (401, "ErrToken")


def test_where_everybody_needs_a_token_this_machine_does_too(house: House) -> None:
    strict = House(house.desk, replace(house.setup, token_needed=True), house.secrets)
    assert refused(strict.client().get(f"{HERE}/memory/counts")) == (401, "ErrToken")
    assert refused(strict.client().get("/cells/other")) == (401, "ErrToken")
    assert strict.client("ana").get(f"{HERE}/memory/counts").status_code == 200
    assert strict.client().get(f"{HERE}/memory/counts").headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("header", ["Bearer nut_wrong", "Bearer", "Bearer ", "Basic YW5hOmFuYQ==", "nut_x"])
def test_a_wrong_token_is_refused_on_this_machine_too(ana: TestClient, header: str) -> None:
    assert refused(ana.get(f"{HERE}/memory/counts", headers={"Authorization": header})) == (401, "ErrToken")


def test_a_wrong_token_does_not_tell_which_cells_there_are(house: House) -> None:
    stranger = house.client(peer="10.0.0.1")
    wrong = {"Authorization": "Bearer nut_wrong"}
    there = stranger.get(f"{HERE}/memory/counts", headers=wrong)
    missing = stranger.get("/cells/other/memory/counts", headers=wrong)
    assert (there.status_code, there.content) == (missing.status_code, missing.content)


def test_a_revoked_token_is_refused_at_the_next_request(house: House) -> None:
    ben = house.client("ben")
    assert ben.get(f"{HERE}/memory/counts").status_code == 200
    revoke_token(house.desk.cell, list_tokens(house.desk.cell)[0].id)
    assert refused(ben.get(f"{HERE}/memory/counts")) == (401, "ErrToken")
    with pytest.raises(ErrUnknownToken):
        revoke_token(house.desk.cell, "k3f9x2ab")


def test_an_admins_rights_need_the_token_and_the_cells_list(house: House) -> None:
    body = {"layer": "consensus", "kind": "convention", "content": "four spaces, no tabs"}

    def write(actor: str, *, admin: bool) -> int:
        return house.client(actor, admin=admin).post(f"{HERE}/memory", json=body).status_code

    house.admins("ana")
    assert write("ben", admin=True) == 403
    assert write("ana", admin=False) == 403
    assert write("ana", admin=True) == 201
    own = house.client("ana", admin=False).get(HERE).json()
    assert own["admin"] is False


def test_an_admin_without_an_admins_token_does_not_change_others_memory(house: House) -> None:
    house.admins("ana")
    entry = remember(house.client("ben"), "prefers dark mode")
    body = {"refs": [entry["ref"]], "reason": "asked by them"}
    plain, admin = house.client("ana"), house.client("ana", admin=True)
    assert plain.post(f"{HERE}/forget", json=body).status_code == 404
    assert admin.post(f"{HERE}/forget", json=body).status_code == 200


def test_what_is_kept_of_a_token_lets_nobody_in(house: House) -> None:
    token, secret = add_token(house.desk.cell, "ben", note="the laptop")
    path = house.desk.root / ".git" / "nutsync" / "tokens.json"
    assert secret not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    assert json.dumps(token_json(token)).find(token.digest) == -1
    stolen = house.client(peer="10.0.0.1").get("/cells", headers={"Authorization": f"Bearer {token.digest}"})
    assert refused(stolen) == (401, "ErrToken")
    assert find_token([token], secret) == token
    assert find_token([token], secret[:-1]) is None


def test_tokens_stay_out_of_the_repository(house: House) -> None:
    from tests.support.repos import git

    before = git(house.desk.root, "status", "--porcelain")
    add_token(house.desk.cell, "ben")
    assert git(house.desk.root, "status", "--porcelain") == before


def test_a_damaged_file_of_tokens_lets_nobody_in(house: House) -> None:
    ben = house.client("ben", peer="10.0.0.1")
    path = house.desk.root / ".git" / "nutsync" / "tokens.json"
    path.write_text('{"tokens": [{"id": "x"}]}')
    assert refused(ben.get(f"{HERE}/memory/counts")) == (503, "ErrCellFile")
    with pytest.raises(ErrCellFile):
        add_token(house.desk.cell, "ben")


def test_a_token_of_nobody_is_not_made(house: House) -> None:
    for name in ("", "*", "a\nb"):
        with pytest.raises(ErrName):
            add_token(house.desk.cell, name)
