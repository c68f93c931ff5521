"""The page's words: one table, two languages, and some words that never appear."""

from __future__ import annotations

import json
import re
from pathlib import Path

from nutsync.core.errors import NutsyncError
from nutsync.core.kind import KINDS
from nutsync.core.layer import LAYERS
from nutsync.frontends.http_api.page import words
from nutsync.operations.recalled import STAGES

WEB = Path(__file__).resolve().parents[2] / "nutsync" / "frontends" / "web"
FORBIDDEN = re.compile(r"scope|memoryscope|owner|metadata\.?actor|namespace", re.IGNORECASE)


def scripts() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(WEB.glob("*.js")))


def test_forbidden_words_stand_nowhere_in_the_page() -> None:
    found = {
        path.name: FORBIDDEN.findall(path.read_text(encoding="utf-8"))
        for path in WEB.iterdir()
        if path.suffix in {".js", ".html", ".css", ".json", ".svg"}
    }
    assert {name: hits for name, hits in found.items() if hits} == {}
    assert not FORBIDDEN.search(json.dumps(words(), ensure_ascii=False))


def test_every_word_is_there_in_both_languages() -> None:
    assert {key: value for key, value in words().items() if set(value) != {"en", "zh"}} == {}
    assert all(text for value in words().values() for text in value.values())
    chinese = re.compile(r"[\u4e00-\u9fff]")
    exempt = {"app.title", "app.you", "kind.none", "app.language", "app.language_label"}
    assert [
        key for key, value in words().items() if key not in exempt and not chinese.search(value["zh"])
    ] == []


def test_both_languages_fill_in_the_same_values() -> None:
    def holes(text: str) -> set[str]:
        return set(re.findall(r"\{(\w+)\}", text))

    assert {k for k, v in words().items() if holes(v["en"]) != holes(v["zh"])} == set()


def test_every_word_that_the_scripts_ask_for_is_in_the_table_and_every_other_is_used() -> None:
    text = scripts()
    asked = set(re.findall(r'"([a-z]+\.[A-Za-z_.-]+)"', text)) - {"nutsync.language", "nutsync.token"}
    asked = {key for key in asked if not key.endswith((".js", ".json"))}
    assert asked - words().keys() == set()
    families = set(re.findall(r"`([a-z]+)\.\$\{", text)) | {"correct", "forget"}
    unused = {key for key in words() if key not in asked and key.partition(".")[0] not in families}
    assert unused == set()


def test_layers_kinds_and_stages_all_have_words() -> None:
    wanted = {f"layer.{layer}" for layer in LAYERS} | {f"kind.{kind}" for kind in KINDS}
    wanted |= {f"stage.{stage}" for stage in STAGES}
    assert wanted - words().keys() == set()


def test_every_error_with_words_is_one_that_exists() -> None:
    import nutsync.core.web_errors  # noqa: F401

    def family(cls: type[NutsyncError]) -> set[str]:
        return {cls.__name__, *(name for one in cls.__subclasses__() for name in family(one))}

    named = {key.partition(".")[2] for key in words() if key.startswith("error.Err")}
    assert named - family(NutsyncError) == set()


def test_no_script_puts_markup_into_the_page_or_asks_elsewhere() -> None:
    text = scripts()
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser"):
        assert forbidden not in text
    assert re.findall(r"https?://[a-z]", text) == []
    html = (WEB / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"\son\w+=|style=|<script(?![^>]*src=)", html)
