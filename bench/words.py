"""What a made-up memory is made of: sentences in English and Chinese with names, numbers and dates."""

from __future__ import annotations

import random


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


_TEAMS = _lines("""
Finance
Legal
Sales
Support
Design
Hosting
Payroll
Research
""")
_FIRST = _lines("""
Nord
Blue
Silver
Amber
Quiet
Rapid
Stone
River
Maple
Copper
Winter
Cedar
Harbor
Lantern
Summit
""")
_SECOND = _lines("""
gate
field
works
line
bridge
port
lab
mill
yard
press
loop
forge
vale
dock
""")
_THINGS_EN = _lines("""
the billing service
the quarterly report
the data migration
the office lease
the login page
the backup schedule
the vendor contract
the test cluster
the hiring plan
the mobile release
the search index
the security review
""")
_DONE_EN = _lines("""
moved to {project}
was approved by {team}
costs {number} euros
is due on {date}
needs {number} more hours
went to {team} for review
was postponed until {date}
failed on build {number}
runs on {project} now
is blocked by {project}
was signed on {date}
""")
_TAIL_EN = _lines("""
Reason: it was cheaper than the other offer.
Next step is a call with {team}.
The old one stays until {date}.
Ticket {number} has the details.
""")
_THINGS_ZH = _lines("""
报价单
数据迁移
季度报告
办公室租约
登录页面
备份计划
供应商合同
测试集群
招聘计划
移动端发布
搜索索引
安全审查
""")
_DONE_ZH = _lines("""
改由 {team} 负责
定为 {number} 元
推迟到 {date}
已迁到 {project}
需要再加 {number} 小时
经 {team} 批准
在第 {number} 次构建失败
被 {project} 卡住
于 {date} 签署
""")
_TAIL_ZH = _lines("""
原因：比另一家便宜。
下一步给 {team} 打电话。
旧的保留到 {date}。
详见工单 {number}。
""")


def sentence(rng: random.Random, day: str) -> tuple[str, str]:
    """Return an entry's text and its clause of the index, in English or Chinese."""
    chinese = rng.random() < 0.4
    fill = {
        "team": rng.choice(_TEAMS),
        "project": rng.choice(_FIRST) + rng.choice(_SECOND),
        "number": f"{rng.randrange(10, 99_999):,}",
        "date": f"{day[:8]}{rng.randrange(1, 29):02d}",
    }
    subject = rng.choice(_FIRST) + rng.choice(_SECOND)
    thing = rng.choice(_THINGS_ZH if chinese else _THINGS_EN)
    done = rng.choice(_DONE_ZH if chinese else _DONE_EN).format(**fill)
    text = f"{subject} {thing}{done}" if chinese else f"{subject}: {thing} {done}"
    clause = f"{subject} {done}" if chinese else f"{subject} {thing.removeprefix('the ')} {done}"
    if rng.random() < 0.25:
        tail = rng.choice(_TAIL_ZH if chinese else _TAIL_EN).format(**fill)
        text = f"{text}\n{tail}" if rng.random() < 0.4 else f"{text}{'，' if chinese else '. '}{tail}"
    return text, clause
