"""What one actor sees of a day, as every front end shows it (design §4, §11)."""

from __future__ import annotations

from collections.abc import Sequence

from nutsync.core.correction import Corrections
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.core.layer import layer_of
from nutsync.core.visibility import EVERYONE, visible, visible_index


def index_for(day: Day, actor: str, session: str = "") -> str | None:
    """Return the day's index as ``actor`` may see it: never with another's words (design §4)."""
    return visible_index(
        day.index,
        day.blocks,
        lambda block: visible(block.attributes, actor, session),
        _build_index,
    )


def _build_index(blocks: Sequence[Block]) -> str:
    # Most days are one actor's: then nothing is built, and the builder is not loaded.
    from nutsync.core.append import said
    from nutsync.core.index import build_index

    return build_index(said(blocks, {}))


def visible_corrections(corrections: Corrections, actor: str, session: str = "") -> Corrections:
    """Return only those corrections that ``actor`` sees."""
    if actor == EVERYONE:
        return corrections
    return Corrections(
        {
            target: seen
            for target, ones in corrections.by_target.items()
            if (seen := tuple(one for one in ones if visible(one[1].attributes, actor, session)))
        }
    )


def entry_json(ref: Ref, block: Block, corrections: Corrections) -> dict[str, object]:
    """Return an entry as every front end shows it (design §11); ``corrected_by`` is newest first."""
    attributes = block.attributes
    return {
        "ref": str(ref),
        "id": ref.id,
        "text": block.text,
        "layer": layer_of(attributes),
        "kind": attributes.get("kind", ""),
        "actor": attributes.get("actor", ""),
        "namespace": attributes.get("namespace", ""),
        "session": attributes.get("session", ""),
        "at": attributes.get("at", ""),
        "device": attributes.get("dev", ""),
        "corrects": attributes.get("corrects", ""),
        "corrected_by": [str(one) for one, _ in corrections.of_ref(ref)],
    }
