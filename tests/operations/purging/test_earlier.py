"""A purge names what the purged entry had replaced: earlier texts of it that history still holds."""

from __future__ import annotations

from nutsync.core.entry import Ref
from nutsync.operations.forget import ForgetRequest
from nutsync.operations.purging.purge import preview_purge
from tests.support.fleet import Fleet
from tests.support.purges import MONDAY, WHY, drop, forget_only, ref_of
from tests.support.search import places_of


def test_each_purge_names_the_one_before_until_none_is_left(fleet: Fleet) -> None:
    desk = fleet["desk"]
    first = ref_of(desk, "Globex pays 4711")
    forget_only(desk, first, replacement="Globex pays 4712")
    (second,) = (Ref(MONDAY, name) for name in desk.day(MONDAY).ids)
    forget_only(desk, second, replacement="Globex pays 4713")
    (third,) = (Ref(MONDAY, name) for name in desk.day(MONDAY).ids)
    fleet.sync_all()
    asked = ForgetRequest(refs=(third,), reason=WHY, actor="ana")
    assert preview_purge(desk.cell, asked).earlier == (str(second),)
    assert drop(desk, third).earlier == (str(second),)
    assert places_of(desk.root, "4712") != []
    done = drop(desk, second)
    assert done.earlier == (str(first),) and done.as_json()["earlier"] == [str(first)]
    assert drop(desk, first).earlier == ()
    fleet.sync_all()
    for root in (desk.root, fleet["lap"].root):
        assert places_of(root, "4711", "4712", "4713") == []


def test_a_plain_entry_had_replaced_nothing(fleet: Fleet) -> None:
    assert drop(fleet["desk"], ref_of(fleet["desk"])).earlier == ()
