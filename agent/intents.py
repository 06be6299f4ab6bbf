"""Which of the intents a message has: plain cues first, the nearest labelled examples where no cue speaks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from agent.reading import Reading, Span
from agent.references import Referent
from agent.scene import Scene
from retrieval.schema import Intent

ATTRIBUTE_WORDS: Mapping[str, str] = {
    "colour": r"colou?rs?|shades?",
    "pattern": r"patterns?|prints?|design",
    "neckline": r"necklines?|neck|collars?",
    "sleeves": r"sleeves?|sleeve length",
    "material": r"materials?|fabrics?|made (?:of|from|out of)|cloth|textile",
    "brand": r"brands?|labels?|designers?|makes? (?:it|this|that|these|them)|made by|manufacturer",
    "length": r"length|how long is|how long are",
    "fit": r"fit|cut|silhouette",
    "price": r"prices?|costs?|how much(?: (?:is|are|does|do|for))?|expensive|cheap(?:er|est)?|pricey|price range",
    "size": r"sizes?",
    "season": r"seasons?",
    "usage": r"occasions?|usage|wear it (?:to|for|at)",
    "gender": r"for (?:men or women|women or men|which gender)|gender",
    "category": r"(?:kinds?|types?|categor(?:y|ies))(?: of (?:clothes|clothing|items?|things|garments?|products?))?",
    "year": r"year",
    "reviews": r"reviews?|ratings?|rated",
}
"""Attribute -> how it is spoken of. size and reviews are asked for although few catalogues know them."""

Span_ = Span

_OTHER = {
    "cart": r"\b(?:(?:add|put|place|throw|get)\b.{0,60}\b(?:my |the |a )?(?:shopping )?(?:cart|basket|trolley|wish ?list)|add to (?:bag|cart|basket)"
    r"|i(?:'ll| will| would like to|'d like to| want to)? (?:just )?(?:take|buy|order|purchase)\b(?! a look)(?=.{0,40}(?:\b(?:it|this|that|them|both|one|these|those)\b|$))"
    r"|(?:buy|order|purchase) (?:it|this|that|them|these|the)\b|check ?out\b(?! (?:the|this|these|some))|place (?:an|my) order|my order|order status|pay(?:ment)? (?:by|with|method)|can i pay"
    r"|returns? (?:policy|it|this|them)|exchange (?:it|this)|refund|shipping|deliver(?:y|ed|ing)?|ship (?:to|it)|discount|coupon|voucher|promo code|gift card|customer service|in stock|opening hours)",
    "help": r"\b(?:what can you do|how do(?:es)? (?:you|this|it) work|what do you do|who are you|what are you|are you (?:a )?(?:bot|human|robot|real)|your name|help me with what|how can you help)|^help(?: me)?\W*$",
    "thanks": r"^(?:(?:ok(?:ay)?|great|perfect|cool|nice|awesome|lovely|wonderful|alright|no|that's all|all good)[ ,.!]*)*(?:many )?(?:thanks|thank you|thx|ty|cheers)\b(?:[ ,.!]*(?:so much|a lot|very much|for (?:your|the|all) (?:the )?help|again|that's all|that is all|bye|you've been great|you're great|!|\.))*\W*$"
    r"|^(?:great|perfect|cool|nice|awesome|lovely|beautiful|ok(?:ay)?|wonderful|wow|amazing|i (?:really )?(?:love|like) (?:it|this|that|them)|looks? (?:great|good|nice))[ !.]*$",
    "bye": r"^(?:ok(?:ay)?[ ,]+)?(?:bye|goodbye|see you|that's all|that is all|that will be all|nothing else|i'm done)\b.{0,20}$",
    "greeting": r"^(?:hi|hello|hey|good (?:morning|evening|afternoon|day)|hiya|howdy|greetings|yo|sup)\b(?:[ ,!.]*(?:there|everyone|how are you(?: doing)?(?: today)?|how's it going|what's up|friend|assistant))*\W*$"
    r"|^(?:how are you(?: doing)?(?: today)?|how's it going|what's up)\W*$",
    "off_topic": r"\b(?:weather|forecast|joke|poem|recipe|pizza|president|capital of|football score|flights?|hotels?|laptops?|smartphones?|iphones?|news|stock market|translate|python code"
    r"|write (?:me )?(?:a|an|some) (?:poem|story|essay|code|song)|what time is it|what day is it|bitcoin|movie|restaurant|furniture|sofa|groceries|1 ?\+ ?1|meaning of life|homework|car insurance|system prompt|ignore (?:all|your|previous|the) )",
}  # fmt: skip
OTHER_KINDS = {kind: re.compile(pattern) for kind, pattern in _OTHER.items()}

_ATTRIBUTE = "|".join(ATTRIBUTE_WORDS.values())
SAME_ITEM = re.compile(
    r"\b(?:(?:this|that|the|exactly|an?) ?(?:very |exact(?:ly)? |precise |identical |same )+(?:same )?(?:one|item|product|piece|thing|(?:\w+ )?\w+)(?= ?(?:$|[?.!,]|in (?:the|your) (?:shop|store|gallery)|available|from|for sale|in stock|again|somewhere|here|on|you))"
    r"|exact(?:ly)? (?:same|this|that|match|one|item|product)|identical|(?:from|at) (?:an?other|a different|the other|all|different) (?:sides?|angles?|views?|directions?|perspectives?)|from (?:behind|the (?:back|side|front))|(?:side|back|rear|front|another|other|different) views?"
    r"|(?:other|another|more|different) (?:pictures?|photos?|images?|shots?|angles?) of (?:it|this|that|the)|(?:another|a different|other) (?:angle|picture|photo)|(?:do you|have you) (?:sell|stock|carry|got|have) (?:this|that|it|exactly this)(?: (?:one|item|product|exact \w+|very \w+|\w+))?(?: here| in (?:the|your) (?:shop|store))?\W*$"
    r"|(?:find|where (?:can|do) i (?:find|get|buy)|is) (?:this|that|it|exactly this)(?: (?:one|item|product|exact \w+|very \w+|\w+))?(?: in (?:the|your) (?:shop|store|catalogue|catalog|gallery))\b|where (?:can|do) i (?:find|get) (?:this|that|it)\b|this (?:very|exact) \w+|which product is (?:this|that)|what product is (?:this|that))"
)
COMPATIBLE = re.compile(
    r"\b(?:(?:goes|go|going|would go|looks? (?:good|nice|great)|works?|fits?|suits?) (?:well |nicely |together |best |great |good )*with\b|(?:to |that |which |would |will )?(?:match(?:es|ing)?|pairs?|paired|combines?|coordinates?) (?:well |nicely )?(?:with |to )(?!.{0,12}\bprice)"
    r"|(?:to|that|which|will|would|could) match(?:es)?\b|to go with|(?:wear|worn|combine|pair|style|match) (?:\w+ ){0,5}(?:with|together)|complete (?:the|my|this|an?) (?:look|outfit)|outfit|(?:how (?:do|can|should|would|to) (?:i |you |we )?(?:style|wear))|what (?:else )?(?:can|could|should|do|would) (?:i|you) wear\b.{0,30}\b(?:with|under|over)"
    r"|style (?:it|this|that|these|them)|build (?:a|an|the|me an?) (?:look|outfit)|(?:accessories|shoes|bag|bags|jacket|top|trousers|pants|belt|jewellery|jewelry|heels|boots|scarf|hat|coat|watch|skirt|jeans) (?:for|with) (?:this|that|it|these|the)\b|matching \w+|complements? (?:it|this|that|these|the)|finish (?:the|this) look|what to wear with)"
)
_SAME_WORD = r"(?:same|this|that|these|similar|matching|identical|its|it's|such)"
SAME_ATTRIBUTE = re.compile(
    rf"\b(?:same|this|that|such an?|its)(?: \w+)? (?P<attribute>colou?rs?|shade|patterns?|prints?|design|necklines?|neck|collars?|sleeves?|sleeve length|materials?|fabrics?|brands?|labels?|designer|length|fit|cut)\b(?P<more>(?:,? and (?:the )?(?:same )?(?:colou?r|pattern|print|neckline|brand|material|fabric|sleeves|length|fit))*)"
    rf"|\b(?:share|shares|sharing|with|by|from|in) (?:the|its|that|this) same (?P<attribute2>colou?r|pattern|print|neckline|collar|material|fabric|brand|label|sleeves|length|fit)\b"
)
_MORE_OF_BRAND = re.compile(
    r"\b(?:else|other|more|anything|everything|things?|stuff)\b.{0,25}\b(?:by|from) (?:the same|this|that|them|these) ?(?:brand|label|designer|maker|people|company)?\b|\bmore (?:by|from) (?:them|this brand|that brand|the brand)\b"
)
MODIFY = re.compile(
    r"\b(?:make (?:it|that|this|them)|change (?:it|the|that|this)|turn it|swap|switch (?:it|the|to)|instead|rather|but (?:in|with|without|for|not|more|less|a bit|make|cheaper|longer|shorter|it|i|darker|lighter|no|slightly|as|of|by|from|under|looser|tighter|have|has|is|please|the|this|that|something)"
    r"|(?:something|anything|one|ones|more|similar) (?:like|to|as) (?:this|that|it|these|those|the)|like (?:this|that|it|these|those)\b|similar|same (?:but|one|style|thing|kind|dress|shirt|in|with|again)|the same\b|(?:a (?:bit|little)|slightly|much|even|more|less|way) \w+er\b"
    r"|(?:more|less) \w+|(?:longer|shorter|darker|lighter|brighter|looser|tighter|wider|cheaper|fancier|warmer|bigger|smaller|simpler|thicker|thinner|softer|slimmer|nicer|bolder|plainer|baggier|dressier|smarter|higher|lower)\b"
    r"|(?:do you have|have you got|is there|got|does|can i (?:get|have|see)|could i (?:see|get)|show me|any|get|i(?:'d| would)? (?:want|like|love|prefer|need)|is|are|available|find) (?:it|this|that|them|these|those|this one|that one|the (?:same|first|second|third|fourth|fifth|last|\w+ one))(?: one)? (?:come )?(?:also |available |too )?in\b"
    r"|(?:come|comes|available) in|(?:what|how) about|any(?:thing)? (?:in|with|without|for|from|by|cheaper|else|more|less|longer|shorter)|others?\b|show (?:me )?more|more (?:results|options|like)|else|add (?:a |an |some )?\w+|remove|take off|get rid|keep (?:it|the|everything)|prefer|only)"
)
_ELLIPTIC = re.compile(
    r"^(?:(?:and|or|ok(?:ay)?|yes|yeah|hm+|well|please|maybe|now|just|also|perhaps|actually|no|but|so|then|great|nice|cool|alright)[ ,]+)*"
    r"(?:in|with|without|but|for|under|below|over|is|has|have|are|no|not|less|more|from|by|only|instead|it|same|something|anything|a bit|much|too|between|around|up to|made|less than|nothing|slightly|i(?:'d| would) (?:prefer|rather)|prefer|must|should|having|wants?|as)\b"
)
_QUESTION_ABOUT = re.compile(
    r"^(?:and |so |but |ok(?:ay)? |please |hm+ |wait )*(?:is|are|was|were|does|do|has|have|did|will|would|can) (?:it|this|that|these|those|they|the|number|#|item|both|its|either|any of (?:these|those|them))\b(?! you)"
)
_ASK_PHRASE = re.compile(
    r"\b(?:compare|comparison|differ(?:ence|ent)? between|how do(?:es)? .{0,40} compare|tell me (?:more )?about|(?:more|any|some) (?:details|info(?:rmation)?)|details (?:of|on|about)|describe|what is (?:it|this|that)\b(?! (?:in|called in))|what(?:'s| is) (?:the )?(?:first|second|third|fourth|fifth|last|number)"
    r"|how many|how much|who (?:makes|made)|which (?:one|of)|what(?:'s| is| are) (?:it|this|that|they|these) (?:made|called)|(?:can|could|should|is it ok to) (?:i|you) (?:machine )?(?:wash|iron|dry))\b"
)
_WH = re.compile(
    r"\b(?:what|which|how|who|whose|when|tell me|(?:do|would) you know|can you (?:tell|give)|could you (?:tell|give)|give me|may i (?:know|ask)|i(?:'d| would)? (?:want|like|need) to know|can i (?:get|have|know)|whats|price of|cost of|do(?:es)? (?:you have|it have) (?:any )?(?:info|details))\b"
)
_ASK_ATTRIBUTE = re.compile(rf"\b(?:{_ATTRIBUTE})\b")
_WANTS_ITEMS = re.compile(
    r"\b(?:do you (?:have|sell|carry|stock)|have you got|show me|i(?:'m| am) (?:looking|after)|looking for|find me|search for|i (?:need|want|would like|'d like) (?:a|an|some)|is there (?:a|any)|are there any|got any|any (?:\w+ ){0,2}\w+s\b)"
)
_RESTART = re.compile(
    r"\b(?:start (?:over|again|afresh|fresh|from scratch)|new search|from scratch|reset|forget (?:it|that|everything|all)(?: all)?|clear (?:everything|all|the filters|the search)|something (?:completely|totally|entirely) (?:different|new)|scrap that)\b"
)
ROLLBACK = re.compile(
    r"\b(?:(?:let's |let us |can we |can you |could you |please |i want to |i'd like to |actually,? )*(?:(?:go|going|went|take me|take us|take it|switch|return|jump|get|step|bring me|head|move|flip|roll|rolling|put me|bring)(?: me| us| it)? back(?: again)?(?: to)?|back to|return to|rewind(?: to)?|roll ?back(?: to)?|back up to)"
    r"|undo(?: (?:that|it|this|the last (?:step|change|one|thing)|my last \w+|last))?|revert(?: (?:to|that|it|this))?|take that back|cancel (?:that|the last)|(?:show|give|see|display)(?: me)?(?: again)? (?:the |my |your )?(?:previous|last|earlier|first|original|initial|prior) (?:results?|search|ones|list|set|selection|page)(?: again)?"
    r"|(?:the )?(?:one|ones|results?) (?:just )?before(?: that)?\W*$|^(?:the )?previous(?: (?:one|ones|results?|page|step|turn|search))?\W*$|(?:continue|carry on|start|work|pick up|resume|proceed|branch) (?:again )?(?:from|with|at|on) (?:the )?(?:turn|step|search|first|second|third|previous|earlier|original)|^back\W*$"
    r"|i (?:liked|preferred) (?:the )?(?:previous|earlier|first|last|old) (?:ones|results?|search|selection|list)(?: (?:better|more))?)"
)


class Examples(Protocol):
    """The nearest labelled examples to a sentence."""

    def vote(self, text: str) -> Mapping[Intent, float]: ...


@dataclass(frozen=True, slots=True)
class Decision:
    intent: Intent
    detail: str = ""
    """The kind of OTHER; the attribute of ASK and SAME_ATTRIBUTE."""
    cues: tuple[Span, ...] = ()
    """Words that said so, which are no part of the wish."""


def is_restart(text: str) -> bool:
    return bool(_RESTART.search(text))


def decide(reading: Reading, scene: Scene, referent: Referent, examples: Examples | None) -> Decision:
    """Needs a text; for messages without one see the planner."""
    return _by_cue(reading, scene, referent) or _by_example(reading, scene, referent, examples)


def _by_cue(reading: Reading, scene: Scene, referent: Referent) -> Decision | None:
    text = reading.text
    has_scene = scene.turn is not None or scene.has_reference
    if other := _other(reading, scene):
        return other
    if match := SAME_ITEM.search(text):
        if has_scene and not _changes_something(reading, referent):
            return Decision(Intent.SAME_ITEM, cues=_all(SAME_ITEM, text) or (match.span(),))
    if COMPATIBLE.search(text) and not _is_about_attribute(text):
        return Decision(Intent.COMPATIBLE, cues=_all(COMPATIBLE, text))
    if same := _same_attribute(reading, referent):
        return same
    if _asks(reading, scene, referent):
        return Decision(Intent.ASK, attribute_asked(text))
    if has_scene and _modifies(reading, scene, referent):
        return Decision(Intent.MODIFY)
    if not has_scene and (reading.mentions or reading.prices):
        return Decision(Intent.SEARCH)
    if _WANTS_ITEMS.search(text) and reading.mentioned("category"):
        return Decision(Intent.SEARCH)
    return None


def _by_example(reading: Reading, scene: Scene, referent: Referent, examples: Examples | None) -> Decision:
    """Only intents that are possible here: nothing can be changed or asked about before something is shown."""
    has_scene = scene.turn is not None or scene.has_reference
    if examples is not None:
        votes = dict(examples.vote(reading.text))
        if not has_scene:
            for intent in (
                Intent.MODIFY,
                Intent.SAME_ITEM,
                Intent.SAME_ATTRIBUTE,
                Intent.ASK,
                Intent.ROLLBACK,
                Intent.COMPATIBLE,
            ):
                votes[Intent.SEARCH] = votes.get(Intent.SEARCH, 0.0) + votes.pop(intent, 0.0)
        votes.pop(Intent.ROLLBACK, None)
        if reading.mentions and not referent.is_pointed:
            votes.pop(Intent.OTHER, None)
        if not scene.has_reference and reading.mentioned("category"):
            votes[Intent.SEARCH] = votes.get(Intent.SEARCH, 0.0) + votes.pop(Intent.MODIFY, 0.0) / 2
        if votes:
            best = max(votes, key=lambda intent: votes[intent])
            detail = attribute_asked(reading.text) if best in (Intent.ASK, Intent.SAME_ATTRIBUTE) else ""
            if not (best is Intent.SAME_ATTRIBUTE and not detail):
                return Decision(best, "off_topic" if best is Intent.OTHER else detail)
    if has_scene and (not reading.mentioned("category") or scene.has_reference):
        return Decision(Intent.MODIFY)
    return Decision(Intent.SEARCH)


def _other(reading: Reading, scene: Scene) -> Decision | None:
    for kind, pattern in OTHER_KINDS.items():
        match = pattern.search(reading.text)
        if match and not (kind == "off_topic" and reading.mentioned("category")):
            return Decision(Intent.OTHER, kind)
    return None


def _changes_something(reading: Reading, referent: Referent) -> bool:
    """ "exactly this one in blue" is a change, however exact it sounds."""
    outside = [m for m in reading.mentions if m.attribute != "category" and not _inside(m.span, referent.spans)]
    return bool(outside or reading.comparisons or reading.negations or reading.prices)


def _inside(span: Span, spans: tuple[Span, ...]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in spans)


def _is_about_attribute(text: str) -> bool:
    return bool(re.search(r"\b(?:match|same|similar).{0,20}\b(?:price|size|rating)", text))


def _same_attribute(reading: Reading, referent: Referent) -> Decision | None:
    text = reading.text
    if match := _MORE_OF_BRAND.search(text):
        return Decision(Intent.SAME_ATTRIBUTE, "brand", (match.span(),))
    match = SAME_ATTRIBUTE.search(text)
    if not match:
        return None
    named = match["attribute"] or match["attribute2"]
    detail = attribute_asked(named)
    said_same = "same" in match.group()
    wants_other = re.search(
        r"\b(?:other|else|another|different|more|anything|what|things?|something|all|everything|items|also|share)\b",
        text[: match.start()] + " " + text[match.end() :],
    )
    category = [m for m in reading.mentioned("category") if not _inside(m.span, referent.spans)]
    keeps_more = reading.comparisons or re.search(r"\bbut\b", text[match.end() :])
    if _asks_about_one(text) and not said_same:
        return None
    if (said_same or wants_other or category) and not (keeps_more and not category):
        return Decision(Intent.SAME_ATTRIBUTE, detail, (match.span(),))
    return None


def _asks_about_one(text: str) -> bool:
    return bool(re.match(r"(?:what|which|how|is|does|do|are|who)\b", text)) and not re.search(
        r"\b(?:else|other|have|comes?)\b", text
    )


def _asks(reading: Reading, scene: Scene, referent: Referent) -> bool:
    text = reading.text
    if re.search(
        r"\b(?:come|comes|available|have (?:it|this|that|them|one|any|something|anything)|got|is there|are there) (?:\w+ ){0,3}(?:in|with|for|without)\b",
        text,
    ):
        return bool(re.search(r"\b(?:what|which) (?:\w+ )?(?:colou?rs?|sizes?)\b", text)) or _is_size(text)
    if _is_size(text) or _ASK_PHRASE.search(text):
        return not (
            re.search(r"\bhow much\b", text)
            and reading.mentioned("category")
            and not referent.is_pointed
            and scene.turn is None
        )
    if _QUESTION_ABOUT.search(text) and (referent.is_pointed or scene.has_reference or scene.turn is not None):
        return not re.search(
            r"\b(?:one|ones|anything|something|version|another|cheaper|any) (?:in|with|that|of|for)\b|\bin (?:another|other|a different)",
            text,
        )
    if _WH.search(text) and _ASK_ATTRIBUTE.search(text):
        return not _WANTS_ITEMS.search(text) or bool(
            re.match(r"(?:what|which) (?:\w+ ){0,2}(?:do you (?:have|sell|carry|stock)|are there|have you)", text)
        )
    return False


def _is_size(text: str) -> bool:
    return bool(
        re.search(
            r"\b(?:what|which|available|my|your|in|other|the) sizes?\b|\bin (?:a )?size\b|\bsizes (?:do|are|does)\b|\bin (?:an? )?(?:xs|s|m|l|xl|xxl|extra (?:small|large))\b\W*$|\bsize (?:xs|s|m|l|xl|xxl|\d+)\b",
            text,
        )
    ) and bool(
        re.search(
            r"\b(?:it|this|that|these|those|they|them|one|what|which|available|first|second|third|fourth|fifth|number|last)\b",
            text,
        )
    )


def _modifies(reading: Reading, scene: Scene, referent: Referent) -> bool:
    text = reading.text
    categories = [m for m in reading.mentioned("category") if not _inside(m.span, referent.spans)]
    wants_new = bool(_WANTS_ITEMS.search(text)) and bool(categories)
    if referent.is_pointed and (MODIFY.search(text) or reading.comparisons or reading.negations):
        return True
    if scene.has_upload and not wants_new:
        return True
    if reading.comparisons or _ELLIPTIC.match(text):
        return not categories or bool(_ELLIPTIC.match(text)) or referent.is_pointed or scene.has_reference
    if scene.selected is not None and not wants_new and (reading.mentions or MODIFY.search(text)):
        return not re.match(r"(?:now |next )?(?:show|find|search|look)", text) or not categories
    if categories:
        return bool(re.search(r"\b(?:instead)\b", text)) and bool(referent.is_pointed)
    return bool(MODIFY.search(text)) or bool(reading.mentions or reading.prices or reading.negations)


def attribute_asked(text: str) -> str:
    """The attribute that a question names, or ""."""
    found = [
        (match.start(), name)
        for name, words in ATTRIBUTE_WORDS.items()
        if (match := re.search(rf"\b(?:{words})\b", text))
    ]
    return min(found)[1] if found else ""


def attributes_named(text: str) -> tuple[str, ...]:
    """All attributes that a text names, in its order."""
    found = [
        (match.start(), name)
        for name, words in ATTRIBUTE_WORDS.items()
        if (match := re.search(rf"\b(?:{words})\b", text))
    ]
    return tuple(name for _, name in sorted(found))


def _all(pattern: re.Pattern[str], text: str) -> tuple[Span, ...]:
    return tuple(match.span() for match in pattern.finditer(text))
