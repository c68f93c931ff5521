"""Chinese and Japanese words and characters by how little they tell one day from another.

General vocabulary, put together by hand; no counts of any text stand behind it.
"""

from __future__ import annotations

from typing import Final

STOP_WORDS: Final = tuple(
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
STOP_CHARACTERS: Final = frozenset(
    "与且並乃么之也了亦他们但你們其则則即又及吗吧呀呢和哈哦啊啦嗎嗯嘛在她它就很您我或把是的着給给而與著"
    "被讓让还这這還那都麼"
)
"""Single characters that stand between the words that count."""
NEGATION: Final = frozenset("不没沒未")
"""Characters that turn a statement round."""
COMMONEST: Final = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
)
"""The few dozen characters that stand everywhere."""
COMMON: Final = frozenset(
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想"
    "实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文"
    "体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立"
    "及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做"
    "接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难"
    "且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争"
    "运晚午早夜晨饭吃喝晴风雨雪云付寄归访收买钱元块号店车坐请送拿找夫妻父母兄弟姐妹爸妈朋友來時會過發對"
    "說學國個們這為見後現開關問間長門點兩從應當經動還給讓聽體樣樂實廳號場歲遠運邊難書買賣錢無與種報結論"
    "處義條電數總變覺領傳觀飯風雲歸訪車請萬張該規記設權認"
)
"""Characters so common that they seldom make a word rare."""
STATUS: Final = tuple(
    """
待办 待辦 未完成 未完 待定 待续 截止 决定 決定 定为 定為 改为 改為 取消 推迟 延期 同意 拒绝 遗留 尚未
""".split()
)
"""Where a matter stands: decisions, statuses, open items."""
EMPTY: Final = tuple(
    """
进行 讨论 討論 确定 確定 方案 记录 記錄 问题 問題 相关 相關 有关 事项 事項 内容 內容 工作 情况 沟通 交流
处理 更新 聊天 谈话 今天 今日 当天 一些 各种 若干 等等 了 的 与 和 及 等 并 对 在
""".split()
)
"""Words that alone say nothing of a day (进行了讨论, 确定了方案, 记录了问题)."""
DIGITS: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
NUMERALS: Final = "零〇一二三四五六七八九十百千万亿两兩萬億"
NO_NUMBERS: Final = frozenset(
    """
一一 万一 万千 十分 千万 千百 千萬 萬一
""".split()
)
"""Words made of numerals that count nothing."""
JAPANESE_STOP_WORDS: Final = tuple(
    """
こと もの ため よう そう ところ とき これ それ あれ どれ ここ そこ あそこ この その あの どの わたし
あなた かれ です ます でした ました ません である だった だけ から まで より など ので のに けど けれど
しかし そして また ただ とても すごく たくさん もう まだ ちょっと する した して される された している
していた いる いた いて ある あった なる なった なって という といった について による によって として
""".split()
)
"""Hiragana words that connect or fill."""
SURNAMES: Final = frozenset(
    "丁何余侯傅冯刘劉卢叶吕吳吴呂唐姚姜孙孟孫宋崔廖张張彭徐戴曹曾朱李杜杨梁楊汪沈潘熊王盧秦罗羅胡苏范萧"
    "葉董蒋蔡蔣蕭薛蘇袁許謝譚许谢谭賈贾赵趙邓邱邵邹郑郝郭鄒鄧鄭鍾钟閻阎陆陈陳陸韓韦韩馮魏"
)
"""Family names that seldom begin an ordinary word."""
NO_NAMES: Final = frozenset(
    """
丁字 丁点 何事 何人 何以 何况 何处 何必 何时 何种 何等 余下 余地 余额 刘海 叶子 叶片 吴语 唐代 唐诗 姜汤
姜茶 孙女 孙子 宋代 宋词 崔嵬 张力 张开 张贴 彭湃 徐州 徐徐 戴上 曾於 曾经 朱红 李子 杜绝 杨树 梁柱 汪洋
沈阳 熊猫 王国 王子 王者 秦代 罗列 罗盘 罗马 胡乱 胡同 苏州 苏打 范例 范围 范本 董事 許可 許多 謝謝 许可
许多 许愿 许诺 谢绝 谢谢 郑州 郑重 钟头 钟表 陆地 陆续 陈列 陈旧 陈述 韩剧 韩国 韩语
""".split()
)
"""Ordinary words that begin with one of those characters."""
HONORIFICS: Final = tuple(
    """
先生 女士 小姐 老师 教授 博士 经理 同学 さん さま ちゃん くん 氏 様
""".split()
)
"""Titles that follow a name."""
