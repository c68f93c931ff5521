"""English words by how little they tell one day from another.

General vocabulary, put together by hand; no counts of any text stand behind it. What is rare must
show by standing in none of these lists, or by its shape.
"""

from __future__ import annotations

from typing import Final

STOP: Final = frozenset(
    """
a about above across actually after afterwards again against ago ah all almost alone along already
alright also although always am among an and another any anybody anyhow anymore anyone anything anyway
anywhere are aren around as at away aye back basically be became because become becomes becoming been
before beforehand behind being below beside besides between beyond both but by bye came can cannot cause
certainly come comes coming could couldn d did didn do does doesn doing don done down due during each
either else elsewhere enough especially etc even ever every everybody everyone everything everywhere
except few first for from further get gets getting give given gives giving go goes going gone gonna got
gotcha gotta gotten had hadn haha hardly has hasn hath have haven having he hello hence her here hereby
hers herself hey hi him himself his hmm how however i if in indeed instead into is isn it its itself
just keep keeps kept kind kinda know known knows last lately later least lemme less lest let lets like
likely ll lot lots m made make makes making many may maybe me mean means meanwhile might mine more
moreover most mostly mr mrs ms much must my myself nah namely near nearly need needs neither
nevertheless next nobody non none nonetheless noone nope nor nothing now nowhere o of off often oh ok
okay on once one ones only onto oops or other others otherwise ought our ours ourselves out over own
pardon per perhaps phew please plenty possibly pretty probably put quite rather re really regarding said
same saw say saying says see seeing seem seemed seems seen self several shall shan she should shouldn
since so some somebody somehow someone something sometimes somewhat somewhere soon still such sure
surely t take taken takes taking tell tells than thank thanks that the thee their theirs them themselves
then there thereby therefore therein these they thing things think this those thou though thought
through throughout thru thus thy till to together told too took toward towards u uh um under unless
until up upon us used using usually ve very via wanna want wanted wants was wasn way ways we well went
were weren what whatever when whence whenever where whereas wherever whether which while who whoa
whoever whole whom whose why will wish with within without won would wouldn wow ya yay yeah yep yes yet
you your yours yourself yourselves yup
""".split()
)
"""Words that connect others or fill a sentence. They go, unless an entry has nothing else."""
OTHER_STOP: Final = frozenset(
    """
au aux avec ce cette dans de des du elle en est et il la le les leur mais ne nous ou par pas pour que qui
sa se ses son sont sur un une vous aber als auch auf aus bei bin das dass dem den der ein eine einem einen
einer er es für hat ich im ist mich mir mit nach nicht noch oder sich sie sind und uns vom von vor wie wir
wird zu zum zur al como con del el ella eso esta este ha las lo los mi más muy no nos para pero por porque
se si sin su una uno y yo alla anche che ci da dal della delle di ed gli io mio nel nella perché più sono
ao aos com da das dos ela ele em eu foi já mas na nas nem não os ou pela pelo são sua um uma você
а без бы был была было в вам вас во вот все всё вы где да для до его ее её ему если есть еще ещё же за и
из или им их к как ко когда кто ли мне мы на над нас не него нет ни но о об он она они от очень по под при
про с со так также там то тоже только ты у уже что чтобы эта это этот я меня мой
""".split()
)
"""Words that connect in French, German, Spanish, Italian, Portuguese and Russian."""
NEGATION: Final = frozenset(
    """
aren't can't cannot couldn't didn't doesn't don't hadn't hasn't haven't isn't mustn't never no not
shouldn't wasn't weren't without won't wouldn't
""".split()
)
"""Words that turn a statement round; without one the index would say the opposite."""
COMMON: Final = frozenset(
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
something sorry sort sound sounds special spend spent start started starting stay step stop stories
story strong stuff stunning super support supportive sweet talk talked talking terrible thankful
thinking thrilled time times tiny today tomorrow tonight totally touch tough tried true truly try trying
turn turned type understand understanding use useful various wait waiting walk watch week weekend weeks
wonderful work worked working works world worry worth year years yesterday young
""".split()
)
"""Content words so common that they seldom tell one day from another; kept where there is room."""
USUAL: Final = frozenset(
    """
ability accept accident account achieve act action active activity actual addition admit advantage
advice affect afford age aim air alive allow amount ancient angry announce apparent appear apply
approach argue argument arrange arrive attempt attend attention attitude average avoid aware background
base basic basis bear beat behavior belong benefit blame body bottom break brief bright broad broke
broken busy calm capable care careful carry catch center century challenge character cheap choose
circumstance claim clean clever close cold collect color combine comfort comfortable commit community
company compare comparison complain complete complex concern condition confidence confident confirm
connect connection consider constant contact contain content context continue contribute control
convenient conversation correct count courage cover crazy create creative cross cry culture curious
current cut damage danger dangerous dark date decide declare deep degree delicious demand deny depend
describe deserve desire destroy detail determined develop development difference difficulty direct
direction discover discussion distance divide doubt draw dream drew drop dry duty eager early earn eat
effect effort emotion enable encourage energy ensure enter entire environment equal essential establish
event evidence exact examine exist expect experience expert explain explanation explore express
expression extend extent extra extraordinary extreme face fail failure fall familiar famous fast fear
feed fell field fight fill final finish firm fit fix flat focus force forget forgot forgotten form
former fought free freedom frequent fresh friendly front future gain gap gather gave gentle goal grab
grand grateful grew group grow growth habit handle hang hate held hid hidden hide history hit hold home
hour house human hung hurt ideal identify ignore immediate impact impossible impressive improve
improvement include increase independent indicate individual influence inform information inner intend
intense interest introduce invite involve joke joy judge judgment jump key kick kill knock knowledge
lack laid laugh lay led lend lent lesson lie lift light limit line link list listen lit lock lonely loss
loud luck mad major man manage manner mark massive match material meaning meant measure meet memory men
mental mention mere met method mind miss mistake mix modern mood motion name narrow natural nature
nearby neat necessary negative nervous news noise normal notice obtain obvious occur odd official
operate opinion opposite option ordinary organization original overall owe pack pain path patience
pattern peace peaceful perform period personal perspective physical pick piece plain pleasant pleasure
polite poor popular position positive potential practice precious prefer preparation prepare presence
press pressure prevent previous pride primary principle private process produce product progress project
promise proof proper protect prove public pull pure purpose push quality quantity quiet raise ran random
range rapid rare rate reach react reaction reality receive recognize recommend record reduce refer
reflect refuse regret regular relate relation relationship relax release relevant relief remain
remarkable remove repeat replace reply represent request require respect response responsibility
responsible result return reveal rich rise risk role roll rose rough round rule rush safe sake sample
save scale scared scene schedule search secret select send sense sent separate series serious serve
service settle severe shake shape sharp shock shook shout shut sign situation size skill slip smart
smile smooth social society soft solid solution solve source space specific speed spirit split spot
spread stable stage stand standard stare state steady steal stick stood strange strength stress stretch
strict strike structure stuck stupid style subject succeed success successful sudden suffer suggest
suggestion suit suitable supply suppose surface surprise surprised surround suspect swear switch swore
system tall task technique temporary tend term theme theory thick thin threw throw tie tight tired tone
tool topic torn total traditional treat tremendous trouble trust truth typical unique unit unusual upset
usual valuable value variety vary vast version view vision voice warm warn waste weak wear weigh weight
weird wet wide wild willing win wise woman women word wore worn worried wrong
""".split()
)
"""Everyday verbs, qualities and abstract things, in their base form: kept after rarer words."""
STATUS: Final = frozenset(
    """
approved blocked canceled cancelled chose chosen deadline decided decision fixed fixme overdue
pending postponed rejected released resolved reverted shipped signed todo unresolved
""".split()
)
"""Where a matter stands: decisions, statuses, open items."""
EMPTY: Final = frozenset(
    """
add added additional chats check conversation conversations details discuss discussed discussing
discussion discussions general info information issue issues item items matter matters meeting meetings
misc miscellaneous note noted notes plan plans point points problem problems progress recorded related
some stuff summary talk talked task tasks thing things today topic topics update updated updates various
went work worked
""".split()
)
"""Words that alone say nothing of a day (design §3.2)."""
LABELS: Final = frozenset(
    """
about agreed aka asap by corrected correction deadline decided decision done due eta faq from fyi new
note now ok old open pending plan status tbd todo until vs was wip
""".split()
)
"""Words with which an index orders what it says; no entry needs to hold them."""
OPENERS: Final = (
    STOP
    | COMMON
    | USUAL
    | STATUS
    | frozenset(
        """
adapt agreement answer architecture autumn birthday book break breakfast brief budget bug build bump buy
cache cancel car cat choice choose city clarify clean client code collapse concert config configure
convert cook copy customer data database debug decide deploy design dinner disable display doctor dog
download draft drop edit editor email enforce entry escape exam exclude export extract family fetch
filter fix flight food fork format friend garden goal guard gym health highlight home hotel hotfix house
import init install invoice kickoff kid launch letter lint list load log login lunch mail map market
measure merge metadata migrate minor money movie music name news offer opening owner paint park parse
party patch pay pet phone photo pick pin plant plus preference present preserve price print publish
quote rain reach read rebase rebuild receipt redesign refactor refund release reload rename renewal rent
repair replace reply report reserve reset response restore retain revert review rewrite risk rollback
rule run save schedule school search sell send server setup ship shop shorten sidebar sign skip sleep
snow song speak spring status stub summary summer swim switch sync table tag teach team test text ticket
tidy train travel trip tweak typo unify upgrade upload vacation validate vendor verify visa visit vote
weather website wedding win winter wrap write yoga
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
NUMBERS: Final = {
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
