"""Word lists of the index builder: English, Chinese, Japanese.

General vocabulary of each language, weighed by how little a word tells one day from another.
They are lists, not statistics: what is rare must show by its shape or by standing in none of them.
"""

from __future__ import annotations

from typing import Final

ENGLISH_STOP: Final = frozenset(
    """
a about above across actually after afterwards again against ago ah all almost alone along already
alright also although always am among an and another any anybody anyhow anymore anyone anything anyway
anywhere are aren around as at away aye back basically be became because become becomes becoming been
before beforehand behind being below beside besides between beyond both but by bye came can cannot cause
certainly come comes coming could couldn d did didn do does doesn doing don done down due during each
either else elsewhere enough especially etc even ever every everybody everyone everything everywhere
except few first for from further get gets getting give given gives giving go goes going gone gonna got
gotten had hadn haha hardly has hasn hath have haven having he hello hence her here hereby hers herself
hey hi him himself his hmm how however i if in indeed instead into is isn it its itself just keep keeps
kept kind kinda know known knows last lately later least less lest let lets like likely ll lot lots m
made make makes making many may maybe me mean means meanwhile might mine more moreover most mostly much
must my myself namely near nearly need needs neither nevertheless next nobody non none nonetheless noone
nor nothing now nowhere o of off often oh ok okay on once one ones only onto or other others otherwise
ought our ours ourselves out over own pardon per perhaps please plenty possibly pretty probably put
quite rather re really regarding said same saw say saying says see seeing seem seemed seems seen self
several shall shan she should shouldn since so some somebody somehow someone something sometimes
somewhat somewhere soon still such sure surely t take taken takes taking tell tells than thank thanks
that the thee their theirs them themselves then there thereby therefore therein these they thing things
think this those thou though thought through throughout thru thus thy till to together told too took
toward towards u uh um under unless until up upon us used using usually ve very via wanna want wanted
wants was wasn way ways we well went were weren what whatever when whence whenever where whereas
wherever whether which while who whoever whole whom whose why will wish with within without won would
wouldn wow ya yeah yep yes yet you your yours yourself yourselves
""".split()
)
"""Words that connect others or fill a sentence. They go, unless an entry has nothing else."""
ENGLISH_NEGATION: Final = frozenset(
    """
not no never don't doesn't didn't won't can't cannot isn't aren't wasn't weren't couldn't shouldn't
wouldn't hasn't haven't hadn't mustn't without
""".split()
)
"""Words that turn a statement round; dropping one would make the index say the opposite."""
ENGLISH_COMMON: Final = frozenset(
    """
able absolutely agree agreed amazed amazing appreciate appreciated area ask asked asking awesome bad
beautiful began begin beginning believe best better big bit bless bring bringing brings brought call
called calls case certain chance change changed chat check clear completely congrats congratulations
cool couple course cute day days deal definitely different difficult discuss discussed easy end ended
enjoy enjoyed enjoying exactly example excellent excited exciting fact fair fantastic far favorite feel
feeling feels felt figure find finding fine follow forward found full fun general glad good gorgeous
great guess guy guys half hand happen happened happening happens happy hard head hear heard hearing help
helped helpful helping helps hey high hope hoped hopefully hoping huge idea ideas imagine important
incredible incredibly inspire inspired inspiring interested interesting issue job join journey keep knew
large late lead learn learned leave left level life little live long longer look looked looking looks
lost love loved lovely loves loving low lucky main matter maybe minute minutes moment moments morning
move moved nice night number old open opportunity order part parts pass passed past people perfect
person place places plan planned planning plans play point possible power pretty problem proud provide
quick quickly ready real realize realized reason recent recently remember remind reminds rest right run
sad seriously set share shared sharing short show showed shows side similar simple simply sit small
something sort sorry sound sounds special spend spent start started starting stay step stop stories
story strong stuff stunning super support supportive sweet talk talked talking terrible thankful
thinking thrilled time times tiny today tomorrow tonight totally touch tough true truly try trying tried
turn turned type understand understanding use useful various wait waiting walk watch week weekend weeks
wonderful work worked working works world worry worth year years yesterday young
""".split()
)
"""Content words so common that they seldom tell one day from another; kept where there is room."""
ENGLISH_STATUS: Final = frozenset(
    """
todo fixme done blocked pending deadline overdue decided decision chose chosen cancelled canceled
postponed approved rejected fixed unresolved resolved reverted shipped released signed
""".split()
)
"""Where a matter stands: decisions, statuses, open items."""
ENGLISH_EMPTY: Final = frozenset(
    """
add added additional chats check conversation conversations details discuss discussed discussing
discussion discussions general info information issue issues item items matter matters meeting meetings
misc miscellaneous note noted notes plan plans point points problem problems progress recorded related
some stuff summary talk talked task tasks thing things today topic topics update updated updates various
went work worked
""".split()
)
"""Words that alone say nothing of a day (design §3.2)."""
ENGLISH_LABELS: Final = frozenset(
    """
open todo done decision decided correction corrected was now old new due deadline status note plan
pending agreed until from by about wip tbd eta ok faq fyi asap aka vs
""".split()
)
"""Words with which an index orders what it says; no entry needs to hold them."""
ENGLISH_OPENERS: Final = (
    ENGLISH_STOP
    | ENGLISH_COMMON
    | ENGLISH_STATUS
    | frozenset(
        """
answer architecture birthday book break breakfast brief bug build buy cancel choice choose city clean
client code concert cook customer data database decide deploy design dinner doctor draft drop email exam
family fix flight food fork friend garden goal gym health home hotel house install invoice letter list
lunch mail map market measure merge migrate money movie music name news offer opening paint park party
pay phone photo pick plant present price print quote rain reach read rebuild receipt refund release
rename rent repair replace reply report reserve response review risk rule save school search sell send
server ship shop sign sleep snow song spring summer autumn winter swim switch table team teach test
ticket train travel trip upload vacation visa visit vote weather website wedding win write yoga
""".split()
    )
)
"""Words that often open a clause with a capital letter and are no names."""
WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        ("monday mon", "tuesday tue tues", "wednesday wed", "thursday thu thur thurs", "friday fri")
        + ("saturday sat", "sunday sun"),
        1,
    )
    for name in names.split()
}
MONTHS: Final = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug")
        + ("september sep sept", "october oct", "november nov", "december dec"),
        1,
    )
    for name in names.split()
}
ENGLISH_NUMBERS: Final = {
    word: str(number)
    for number, word in enumerate(
        """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty
""".split()
    )
} | {
    word: str(10 * tens)
    for tens, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), 3)
}

CHINESE_STOP_WORDS: Final = tuple(
    """
我们 你们 他们 她们 它们 咱们 自己 大家 人家 这个 那个 这些 那些 这样 那样 这里 那里 这儿 那儿 这么 那么
什么 怎么 怎样 怎么样 如何 为什么 哪些 哪里 哪个 多少 因为 所以 但是 可是 不过 然后 而且 并且 或者 还是
还有 以及 如果 要是 虽然 尽管 即使 只要 只有 除了 关于 对于 由于 根据 通过 为了 可以 可能 能够 应该 需要
必须 已经 曾经 正在 一直 一定 一个 一些 一下 一样 一种 一起 有些 有点 有的 没有 不是 就是 都是 也是 非常
十分 比较 特别 真的 真是 的话 觉得 认为 感觉 知道 看到 听到 进行 其中 其他 其它 之后 以后 之前 以前 之间
时候 现在 当时 的时候 起来 下来 出来 过来 出去 谢谢 你好 好的 不客气 请问 当然 或许 也许 似乎 其实 确实
实在 只是 而是 于是 因此 从而 甚至 例如 比如 等等 方面 情况 问题 事情 东西 地方 是否 能否 来说 而言 之类
各种 许多 很多 不少 所有 任何 每个 每天 今天 我會 我們 你們 他們 她們 這個 那個 這些 這樣 那樣 這裡 那裡
這麼 那麼 什麼 怎麼 為什麼 因為 還是 還有 雖然 關於 對於 由於 根據 通過 為了 應該 已經 曾經 一個 沒有
覺得 認為 進行 其實 當然 確實
""".split()
)
"""Chinese words of two and more characters that connect or fill."""
CHINESE_STOP_CHARACTERS: Final = frozenset(
    "的了是在和与及或就都也很还又而且但把被让给吗呢吧啊呀哦嗯哈嘛啦么着之其亦乃则即並與還讓給嗎麼著則我"
    "你您他她它這这那们們"
)
"""Single characters that stand between the words that count."""
CHINESE_NEGATION: Final = frozenset("不没未无别勿沒無別非")
CHINESE_COMMON_CHARACTERS: Final = frozenset(
    "一人有个上来到时大地为子中你说生国年出会可得自以家下而过天去能对小多然于心学么之都好看起发当没成只"
    "如事把还用第样道想作种开手见前面分头又美使等将两经法理最新些合公动正本名常长定入并重高知情相现内此"
    "门关今点回向西打路先外日夜晚午早无进数行很同从间由已月被让听做更走往真叫给主全几者问意力或性那应信"
    "话告何着次身己却觉再每百条元请认直许且收与住老放怎求处电系带加找太受活该完记接果结原安望特建表近始"
    "希星期昨明后饭吃喝晴風风雨雪云付寄归訪访至來時會過發對說學國個們這為見後現開關問間長門點兩從應當經"
    "動還給讓聽體樣樂實廳號場歲遠運邊難書買賣錢"
)
"""Characters so common that they seldom make a word rare."""
CHINESE_STATUS: Final = tuple(
    """
待办 待辦 未完成 未完 待定 待续 截止 决定 決定 定为 定為 改为 改為 取消 推迟 延期 同意 拒绝 遗留 尚未
""".split()
)
CHINESE_EMPTY: Final = tuple(
    """
进行 讨论 討論 确定 確定 方案 记录 記錄 问题 問題 相关 相關 有关 事项 事項 内容 內容 工作 情况 沟通 交流
处理 更新 聊天 谈话 今天 今日 当天 一些 各种 若干 等等 了 的 与 和 及 等 并 对 在
""".split()
)
"""Words that alone say nothing of a day (进行了讨论, 确定了方案, 记录了问题)."""
CHINESE_NUMERALS: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
JAPANESE_STOP_WORDS: Final = tuple(
    """
こと もの ため よう そう ところ とき これ それ あれ どれ ここ そこ あそこ この その あの どの わたし
あなた かれ です ます でした ました ません である だった だけ から まで より など ので のに けど けれど
しかし そして また ただ とても すごく たくさん もう まだ ちょっと する した して される された している
していた いる いた いて ある あった なる なった なって という といった について による によって として
""".split()
)
"""Hiragana words that connect or fill."""
CHINESE_SURNAMES: Final = frozenset(
    "王李张刘陈杨赵吴徐孙朱胡郭何罗郑梁谢宋唐许韩冯邓曹彭曾萧蔡潘袁董余苏叶吕魏蒋杜丁沈姜范傅钟卢汪戴崔"
    "陆廖姚邱谭韦贾邹熊孟秦阎薛侯郝邵張劉陳楊趙吳孫羅鄭謝許韓馮鄧蕭蘇葉呂蔣鍾盧陸譚賈鄒閻"
)
"""Family names that seldom begin an ordinary word."""
CHINESE_NOT_NAMES: Final = frozenset(
    """
许多 许可 许愿 許多 許可 何时 何处 何人 何事 何种 何必 何况 余额 余下 余地 曾经 曾於 孙子 孙女 陈列 陈述
陈旧 叶子 叶片 苏州 苏打 徐州 徐徐 杜绝 董事 谢谢 谢绝 謝謝 胡同 胡乱 郑州 郑重 沈阳 沉 范围 范例 范本
王者 王国 王子 唐诗 唐代 宋代 宋词 秦代 李子 朱红 吴语 韩国 韩语 韩剧 丁字 侯 熊猫 姜茶 梁柱 罗列 罗马
郭 彭湃 戴上 陆续 陆地 钟头 钟表 杨树 张开 张贴 张力 汪洋 崔嵬 蔡 曹 丁点 刘海 何以 何等 许诺 罗盘 姜汤
""".split()
)
"""Ordinary words that begin with one of those characters."""
HONORIFICS: Final = tuple(
    """
先生 女士 小姐 老师 教授 博士 经理 同学 さん さま ちゃん くん 氏 様
""".split()
)
