"""Words that mean the same to a person who asks: irregular forms, everyday synonyms.

General knowledge of English. The words of a group, joined by bars, are read as its first one.
Regular forms are the stemmer's business.
"""

from __future__ import annotations

from typing import Final

_SAME: Final = """
accident|crash afraid|scared|frightened america|usa|us|american angry|mad
anxious|nervous|worried|worry|anxiety app|application author|writer award|prize|trophy
baby|infant|newborn beach|seaside|shore become|became begin|began|begun|start bend|bent
bike|bicycle|cycling bite|bit|bitten blow|blew|blown boss|manager break|broke|broken breed|bred
bring|brought build|built burn|burnt business|biz buy|bought|purchase car|automobile catch|caught
center|centre child|children|kid|kids choose|chose|chosen class|course|lesson
colleague|coworker|workmate color|colour company|firm competition|contest|tournament computer|pc
concert|gig cost|price customer|client deal|dealt death|die|died|dead dig|dug dinner|supper
doctor|physician dog|puppy|pup|doggy donation|donate draw|drew|drawn drink|drank|drunk
drive|drove|driven eat|ate|eaten exam|examination exercise|workout fall|fell|fallen
family|fam|fams father|dad|daddy|dads|papa favorite|favourite|fav|fave feed|fed fight|fought
fix|repair|mend flat|apartment flee|fled fly|flew|flown|flight foot|feet forest|woods
forget|forgot|forgotten freeze|froze|frozen friend|buddy|pal gift|present go|went|gone
grandfather|grandpa|granddad|grandad grandmother|grandma|granny gray|grey grow|grew|grown hang|hung
hear|heard help|assist|aid hide|hid|hidden hobby|pastime hold|held hospital|clinic house|home
injury|injure|injured instructor|teacher job|work|employment keep|kept kitten|kitty knife|knives
know|knew|known laptop|notebook lawyer|attorney lay|laid lead|led leaf|leaves
learn|learnt|study|studied leave|left lend|lent life|lives light|lit lose|lost make|made man|men
marry|wedding|married mean|meant medicine|medication meet|met money|cash
mother|mom|mum|mommy|moms|mums|mama mountain|mount mouse|mice movie|film neighbor|neighbour
nonprofit|charity novel|book ocean|sea organize|organise pay|paid person|people
phone|telephone|cellphone|smartphone photo|photograph|picture|pic|pics|image
plane|airplane|aeroplane program|programme quit|resign rabbit|bunny refrigerator|fridge
relocate|move renovate|remodel rent|lease ride|rode|ridden ring|rang|rung rise|rose|risen
road|street run|ran seek|sought sell|sold send|sent sew|sewn shake|shook|shaken shoe|sneaker
shoot|shot show|shown sibling|brother|sister sick|ill|illness sing|sang|sung sink|sank|sunk
sleep|slept|asleep slide|slid song|tune speak|spoke|spoken spend|spent spin|spun stand|stood
steal|stole|stolen stick|stuck sting|stung store|shop strike|struck student|pupil
subway|metro|underground sweep|swept swim|swam|swum swing|swung take|took|taken teach|taught
tear|tore|torn television|tv tell|told theater|theatre thief|thieves think|thought
throw|threw|thrown tired|exhausted tooth|teeth town|city trip|journey|travel understand|understood
university|college vacation|holiday veteran|vet wake|woke|woken wear|wore|worn weave|wove|woven
website|site weep|wept wife|wives win|won wolf|wolves woman|women write|wrote|written
"""


def same_words() -> dict[str, str]:
    """Return each word that is read as another one."""
    table: dict[str, str] = {}
    for group in _SAME.split():
        first, *others = group.split("|")
        table.update(dict.fromkeys(others, first))
    return table


def written_ways(word: str) -> tuple[str, ...]:
    """Return the words of ``word``'s group; only itself where it is in none."""
    for group in _SAME.split():
        words = group.split("|")
        if word in words:
            return tuple(words)
    return (word,)


ASKING: Final = frozenset(
    """
activity area attend attribute according belief career circumstance consider describe event experience
feature involve item kind likely mention name participate particular partake personality potential pursue
recently receive regarding respond sort specific start status type way week day month year did happen
decide plan give take believe feel main new different special work get want like try find keep share
many most people time currently thing example
""".split()
)
"""Words that a question is made of more often than an answer is; they count half."""

ASKING_HAN: Final = tuple(
    """
记得 曾经 曾 话题 推荐 分享 提到 提过 说过 聊过 聊 告诉 给出 给了 给过 建议 名字 内容 类型 种类 具体 主要
时候 哪一 哪几 哪两 几个 是什么 叫什么 什么 怎么 怎样 哪些 哪里 哪个 哪 谁 多久 多少 几 吗 呢 对吗 还
我们 你们 他们 我 你 他 她 它 的 了 过 是 在 和 与 有 把 被 给 到 去 这天 那天 这 那
一部 一本 一个 一款 一些 一道 部 本 个 种 关于 如何 最近 喜欢 想要 可以 能 会 要 不 也 都 就 很 好
ください 教えて 覚えて 何 誰 いつ どこ どの なに でした ました ですか
""".split()
)
"""The same for Chinese and Japanese: they are cut out of a question before its words are taken."""
