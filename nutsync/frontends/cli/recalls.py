"""`recall`: memory found again."""

from __future__ import annotations

import click

from nutsync.core.errors import EXIT_FINDINGS
from nutsync.core.layer_queries import resolve_query, resolve_reader
from nutsync.core.moment import require_date
from nutsync.frontends.cli.command import Answer, Command, Line, usage
from nutsync.frontends.cli.opening import open_here
from nutsync.frontends.cli.printing import printable
from nutsync.operations.recall import recall as recall_question
from nutsync.operations.recalled import DEFAULT_LIMIT, DEFAULT_MAX_CHARS, Question, Recalled, terms_query


@click.command(cls=Command, example="""
    nutsync recall PostgreSQL
    nutsync recall Acme X-200 --all
    nutsync recall Acme Globex --and price --and 报价
    nutsync recall --ask "Where did Ana put the contract?"
""")  # fmt: skip
@click.argument("terms", nargs=-1, metavar="TERM…")
@click.option("--all", "every", is_flag=True, help="A day must have all terms, not any.")
@click.option("--and", "others", multiple=True, metavar="TERM", help="And one of these, too.")
@click.option("--regex", is_flag=True, help="The terms are regular expressions.")
@click.option("--ask", metavar="QUESTION", help="A question in plain words, instead of terms.")
@click.option("--deep", is_flag=True, help="Ask every stage, also where a near one found something.")
@click.option("--explain", is_flag=True, help="Say which terms each day has.")
@click.option("--actor", metavar="A", help="As that actor sees it; '*' sees everyone's.")
@click.option("--session", metavar="S", help="With what belongs to that session.")
@click.option("--layer", metavar="LAYER", help="Only entries of that layer.")
@click.option("--scope", metavar="SCOPE", help="Only entries of that scope; not together with --layer.")
@click.option("--since", metavar="DATE", help="From that date on.")
@click.option("--until", metavar="DATE", help="Up to that date.")
@click.option("--limit", type=click.IntRange(min=1), default=DEFAULT_LIMIT, show_default=True)
@click.option("--max-chars", type=click.IntRange(min=1), default=DEFAULT_MAX_CHARS, show_default=True,
              help="Cut texts, never hits.")  # fmt: skip
@click.pass_obj
def recall(line: Line, terms: tuple[str, ...], every: bool, others: tuple[str, ...], regex: bool,
           ask: str | None, deep: bool, explain: bool, actor: str | None, session: str | None,
           layer: str | None, scope: str | None, since: str | None, until: str | None,
           limit: int, max_chars: int) -> Answer:  # fmt: skip
    """Find what was remembered, from near to far: session, last 30 days, catalogs, indexes, bodies."""
    usage(ask is not None and bool(terms or others or every or regex), "--ask takes no terms beside it.")
    cell = open_here(line)
    asked = resolve_query(layer, scope)
    question = Question(
        query=None if ask is not None else terms_query(terms, every=every, others=others, regex=regex),
        ask=ask,
        reader=resolve_reader(actor, cell.actor, bound=False, everyone=True),
        session=session or cell.settings.session or "",
        layer=asked.layer,
        scope=asked.scope,
        since=require_date(since) if since else None,
        until=require_date(until) if until else None,
        deep=deep,
        limit=limit,
    )
    answer = recall_question(cell, question)
    document = answer.as_json(explain=explain, max_chars=max_chars)
    return Answer(document, _recall_words(answer, explain), 0 if answer.hits else EXIT_FINDINGS)


def _recall_words(answer: Recalled, explain: bool) -> str:
    lines: list[str] = []
    for hit in answer.hits:
        lines.append(f"{hit.date}  {hit.path}")
        lines.append(f"  {printable(hit.index)}")
        if explain:
            lines.append(f"  found by {hit.stage}: " + ", ".join(term.asked for term in hit.found))
        for ref, block in hit.entries:
            for one, by in answer.corrections.of_ref(ref):
                lines.append(f"  {one}  {printable(by.text, '    ')}  (corrects {by.attributes['corrects']})")
            lines.append(f"  {ref}  {printable(block.text, '    ')}")
    asked = ", ".join(f"{stage.stage} ({stage.scanned})" for stage in answer.stages)
    if not answer.hits:
        lines.append("Nothing was found.")
    elif answer.more:
        lines.append("There are more days; --limit shows more.")
    rest = f"; not asked: {', '.join(answer.not_asked)}" if answer.not_asked else ""
    lines.append(f"Asked: {asked}{rest}.")
    return "\n".join(lines)
