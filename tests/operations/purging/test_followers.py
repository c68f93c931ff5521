"""Which devices have followed a purge is believed of their own signature alone."""

from __future__ import annotations

from nutsync.core.audit import Audit, render_message
from nutsync.operations.purging.devices import list_purges
from nutsync.operations.record import Change
from tests.support.fleet import Fleet
from tests.support.purges import drop, ref_of
from tests.support.repos import git
from tests.support.search import places_of


def test_nobody_can_say_for_a_device_that_it_has_followed(fleet: Fleet) -> None:
    desk, lap = fleet["desk"], fleet["lap"]
    ref = ref_of(desk)
    fleet.sync_all()
    fleet.unplug("lap")
    drop(desk, ref)
    forged = Audit(op="follow", followed=(ref.id or "",), actor="ana", device="lap", version="0.1.0")
    unsigned = ("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false")
    git(desk.root, *unsigned, "commit", "-q", "--allow-empty", "-m", render_message(forged))
    with desk.cell.writing("sync") as recorder:  # signed, and by another device
        audit = recorder.audit("follow", followed=(ref.id or "",))._replace(device="lap")
        recorder.commit([Change(audit, {}, desk.clock.now())])
    assert list_purges(desk.cell)[0].pending == ("lap",)
    git(desk.root, "push", "-q", "origin", "main")
    fleet.plug("lap")
    fleet.sync("lap")
    fleet.sync("desk")
    assert list_purges(desk.cell)[0].pending == ()
    assert places_of(lap.root, "4711") == []


def test_who_followed_is_still_known_after_a_later_purge_took_the_signature_off(fleet: Fleet) -> None:
    desk = fleet["desk"]
    later = ref_of(desk, "Initech pays 0815")
    first = ref_of(desk)
    fleet.sync_all()
    drop(desk, first)
    fleet.sync_all()
    assert list_purges(desk.cell)[0].done == ("desk", "lap")
    drop(desk, later)
    assert list_purges(desk.cell)[0].done == ("desk", "lap")
    fleet.sync_all()
    assert [purge.pending for purge in list_purges(desk.cell)] == [(), ()]


def test_two_devices_that_purge_the_same_entry_have_both_done_it(fleet: Fleet) -> None:
    desk, lap = fleet["desk"], fleet["lap"]
    ref = ref_of(desk)
    fleet.sync_all()
    fleet.unplug("lap")
    drop(lap, ref)
    drop(desk, ref)
    fleet.plug("lap")
    fleet.sync("lap")
    fleet.sync_all()
    for one in (desk, lap):
        (purge,) = list_purges(one.cell)
        assert (purge.done, purge.pending) == (("desk", "lap"), ())
        assert places_of(one.root, "4711") == []
