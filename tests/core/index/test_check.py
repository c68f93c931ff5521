"""What `index check` finds in an index (design §3.2)."""

from __future__ import annotations

import pytest

from nutsync.core.index import Said, check_index

OFFER = Said("X-200 报价定为 12,800 元，周五前发合同", "decision")
BILLING = Said("Billing moves to PostgreSQL 16\nReason: logical replication.")
LONG = Said(
    "The walk along the canal took us past the old brewery, the two locks and the lime trees, "
    "and Hanna told the story of the heron that nests behind the boathouse every spring."
)


def codes(index: str, *entries: Said, day: str = "") -> list[str]:
    return [finding.code for finding in check_index(index, entries, day=day)]


def test_a_faithful_index_has_no_findings() -> None:
    index = "X-200 报价定为 12,800 元；billing moves to PostgreSQL 16; open: 周五前发合同"
    assert codes(index, OFFER, BILLING) == []


def test_an_entry_that_the_index_does_not_speak_of_is_named() -> None:
    findings = check_index("X-200 报价 12,800 元，周五前发合同", [OFFER, BILLING])
    assert [(f.code, f.entry) for f in findings] == [("coverage", 2)]


def test_a_name_that_stands_in_every_entry_covers_none_of_them() -> None:
    entries = [Said("Ana sold the piano"), Said("Ana planted lime trees")]
    assert [(f.code, f.entry) for f in check_index("Ana sold the piano", entries)] == [("coverage", 2)]


@pytest.mark.parametrize(
    "index",
    [
        "X-200 报价 12,900 元，周五前发合同",
        "X-200 报价 12,800 元，周四前发合同",
        "X-300 报价 12,800 元，周五前发合同",
        "X-200 报价 12,800 元，周五前发合同，Oracle",
        "王小明 X-200 报价 12,800 元，周五前发合同",
        "X-200 报价 12,800 元，周五前发《保密协议》合同",
    ],
)
def test_what_no_entry_says_is_found(index: str) -> None:
    assert "grounding" in codes(index, OFFER)


@pytest.mark.parametrize(
    "index",
    [
        "X200 报价 12800 元, Friday, 合同",
        "X-200 報價 １２，８００ 元，星期五前發合同",
        "x-200 报价定为 12,800 元；周五前发合同",
    ],
)
def test_another_way_to_write_the_same_is_no_invention(index: str) -> None:
    assert "grounding" not in codes(index, OFFER)


def test_dates_and_numerals_agree_however_they_are_written() -> None:
    assert codes("lunch Nov 30, three guests", Said("lunch on 2026-11-30 with 3 guests")) == []
    assert "grounding" not in codes("共 30 元", Said("共三十元"))
    assert codes("11月30日 午饭", Said("lunch on 30 November 午饭")) == []


def test_the_days_own_date_is_no_invention() -> None:
    assert codes("2026-11-30 sold the piano", Said("sold the piano"), day="2026-11-30") == []
    assert "grounding" in codes("2026-11-30 sold the piano", Said("sold the piano"))


@pytest.mark.parametrize(
    "phrase", ["discussed various things", "进行了讨论", "确定了方案", "记录了问题", "Meeting notes"]
)
def test_a_phrase_that_says_nothing_is_found(phrase: str) -> None:
    assert "emptiness" in codes(f"sold the piano; {phrase}", Said("sold the piano, then we discussed things"))


@pytest.mark.parametrize("tags", ["piano, harbour, ferry", "#piano #harbour #ferry", "钢琴、港口、渡轮"])
def test_a_bare_list_of_tags_is_found(tags: str) -> None:
    entry = Said("The piano goes by ferry from the harbour 钢琴从港口坐渡轮走")
    assert "emptiness" in codes(tags, entry)


def test_a_long_entry_copied_whole_is_found_and_a_short_one_is_not() -> None:
    assert "copying" in codes(LONG.text, LONG)
    short = Said("Billing moves to PostgreSQL 16")
    assert "copying" not in codes(short.text, short)


def test_a_correction_is_grounded_in_what_it_corrects() -> None:
    with_old = Said("The kickoff is on Thursday", "correction", "Kickoff with Acme on Tuesday")
    assert codes("kickoff Thursday, not Tuesday (Acme)", with_old) == []
    without = Said("The kickoff is on Thursday", "correction", None)
    assert "grounding" in codes("kickoff Thursday, not Tuesday (Acme)", without)


def test_an_index_may_name_the_actor() -> None:
    assert codes("billing moves to PostgreSQL 16 (Ana)", Said(BILLING.text, actor="ana")) == []
    assert "grounding" in codes("billing moves to PostgreSQL 16 (Ana)", BILLING)


def test_a_part_of_an_identifier_is_not_the_identifier() -> None:
    assert "grounding" in codes("X-20 报价 12,800 元，周五前发合同", OFFER)
    assert "grounding" not in codes("deploy.sh needs the VPN", Said("scripts/deploy.sh needs the VPN"))
    assert "grounding" not in codes("billing: PostgreSQL-16", BILLING)


def test_no_message_repeats_memory_text() -> None:
    findings = check_index("Zoë paid 77 euros; 进行了讨论", [OFFER, BILLING])
    assert findings
    assert not any(
        word in f.message for f in findings for word in ("Zoë", "77", "讨论", "X-200", "PostgreSQL")
    )
