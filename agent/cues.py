"""Phrases that say what a message asks for, as patterns over its lower-case text. One alternative a line."""

from __future__ import annotations

import re
from collections.abc import Mapping


def phrases(*alternatives: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(alternatives) + ")")


POINT = r"(?:this|that|it|these|those|them)"
_POINT_OR_PLACE = r"(?:this|that|it|these|those|them|number|the (?:first|second|third|fourth|fifth|last|\w+ one))\b"
_KINDS = (
    "accessories|shoes?|bags?|jacket|top|trousers|pants|belt|jewellery|jewelry|heels|boots|scarf|hat|coat|watch"
    "|skirt|jeans"
    "|shirt|handbag|sneakers|trainers"
)
_PICTURE = r"(?:photo(?:graph)?|picture|pic|image|snapshot|screenshot|selfie)"

# --- attributes ------------------------------------------------------------------------------------------------------

ATTRIBUTE_WORDS: Mapping[str, str] = {
    "colour": r"colou?rs?|shades?",
    "pattern": r"patterns?|prints?|design",
    "neckline": r"necklines?|neck|collars?",
    "sleeves": r"sleeves?|sleeve length",
    "material": r"materials?|fabrics?|made (?:of|from|out of)|cloth|textile",
    "brand": r"brands?|labels?|designers?|makes? (?:it|this|that|these|them)|made by|manufacturer|who made|who makes",
    "length": r"length|how long (?:is|are)",
    "fit": r"fit|cut|silhouette",
    "heel": r"heel heights?|how (?:high|tall) (?:is|are)",
    "price": r"prices?|costs?|how much(?: (?:is|are|does|do|for))?|expensive|cheap(?:er|est)?|pricey",
    "size": r"sizes?",
    "season": r"seasons?",
    "usage": r"occasions?|usage|wear it (?:to|for|at)",
    "gender": r"for (?:men or women|women or men|which gender)|gender",
    "category": r"(?:kinds?|types?|categor(?:y|ies))(?: of (?:clothes|clothing|items?|things|garments?|products?))?",
    "year": r"year",
    "reviews": r"reviews?|ratings?|rated",
}
"""Attribute -> how it is spoken of. size and reviews are asked for although few catalogues know them."""

SHARED_BRAND = phrases(
    r"(?:else|other|more|anything|everything|things?|stuff)\b.{0,25}\b(?:by|from|of) (?:the same|the|this|that|them"
    r"|these)"
    r" ?(?:brand|label|designer|maker|people|company)\b",
    r"more (?:by|from) (?:them|this brand|that brand|the brand)\b",
    r"(?:this|that|the same) (?:brand|label|designer|company) (?:also )?(?:make|makes|have|has|offer|sell)",
)
WANTS_OTHERS = re.compile(
    r"\b(?:other|else|another|different|more|anything|what|things?|something|all|everything|items|also|share|which)\b"
)
ABOUT_ITSELF = re.compile(r"(?:is|are|was|were|does|do) (?:it|this|that|they|these|those|the \w+)\b")
"""Starts a question about what is shown, not a wish for others."""
IN_THE_SAME = re.compile(r"^(?:(?:and|but|now|ok(?:ay)?|maybe)[ ,]+)*(?:in|with) (?:the|that|this) same\b")
"""A change of what is shown, not a wish for other garments."""
ON_OTHER_GARMENT = phrases(
    r"on (?:something (?:else|different)|another|a different|other)|(?:different|another|other) (?:kinds?|types?"
    r"|garments?)",
)
ANOTHER_ONE = phrases(
    r"(?:an?other|a different|different|other) (?:ones?|items?|things?|pieces?|products?|pairs?)\b",
)

# --- what goes with it ----------------------------------------------------------------------------

COMPATIBLE = phrases(
    r"(?:goes|(?<!let's )(?<!i'll )(?<!going to )(?<!i will )(?<!actually )go|going|would go|looks? (?:good|nice"
    r"|great)|works?|fits?|suits?) (?:well |nicely |together |best "
    r"|great |good )*with\b",
    r"(?:to |that |which |would |will )?(?:match(?:es|ing)?|pairs?|paired|combines?|coordinates?) (?:well "
    r"|nicely )?(?:with |to )(?!.{0,12}\bprice)",
    r"(?:to|that|which|will|would|could) match(?:es)?\b|to go with|what to wear with|wear (?:on top of|over|under"
    r"|underneath|with) ",
    r"(?:wear|worn|combine|pair|style|match) (?:\w+ ){0,5}(?:with|together)\b",
    rf"(?:(?:complet|finish)(?:e|es|ed|ing)?(?: off| up)?|(?:round|top)(?:s|ed|ing|ped|ping)? (?:off|out))"
    rf" (?:the|my|this|that|these|an?|our) (?:\w+ )?(?:look|outfit|ensemble|get-?up|attire)\b"
    rf"|(?:finish|round|top)(?:es|s)? {POINT} (?:off|up|out)\b|to complete {POINT}\b"
    r"|(?:missing from|to add to|would you add to|add to) (?:the|my|this) (?:look|outfit|ensemble)"
    r"|(?:full|whole|complete|an?|the|my|this) outfit (?:with|around"
    r"|from|for)|(?:full|whole|complete) (?:outfit|look)",
    r"how (?:do|can|should|would|to) (?:i |you |we )?(?:style|wear)",
    r"what (?:else )?(?:can|could|should|do|would) (?:i|you) wear\b.{0,30}\b(?:with|under|over)",
    rf"style {POINT}\b|build (?:a|an|the|me an?) (?:look|outfit)|put together an? (?:outfit|look)",
    rf"(?:{_KINDS}) (?:for|with) {_POINT_OR_PLACE}",
    rf"(?:{_KINDS}) for (?:the|my|this|that) (?:\w+ ){{1,3}}(?:in|on|from) (?:the|my|this|that) (?:\w+ )?{_PICTURE}\b",
    rf"(?:match(?:es)?|fits?|suits?) {_POINT_OR_PLACE}(?! (?:description|budget|price))",
    r"(?:what|which) (?:\w+ ){1,2}?(?:under|over|underneath|beneath|on top of|with) (?:this|that|it|these|those|them"
    r"|the|number)\b"
    r"|(?:outfit|look|ensemble) (?:for|with|around|round) (?:this|that|it|these|those|them|the|number)\b",
    rf"matching (?!in )\w+|(?:complements?|accessori[sz]e) (?:{POINT}|the)\b",
)  # fmt: skip

# --- changes ---------------------------------------------------------------------------------------------------------

_COMPARED = (
    "longer|shorter|darker|lighter|brighter|looser|tighter|wider|cheaper|fancier|warmer|bigger|smaller|simpler"
    "|thicker|thinner"
    "|softer|slimmer|nicer|bolder|plainer|baggier|dressier|smarter|higher|lower"
)
MODIFY = phrases(
    r"make (?:it|that|this|them)|change (?:it|the|that|this)|turn it|swap|switch (?:it|the|to)|instead|rather|prefer"
    r"|only",
    r"but (?:in|with|without|for|not|more|less|a bit|make|it|i|no|slightly|as|of|by|from|under|have|has|is|please"
    r"|the|this|that|something)\b",
    rf"but (?:{_COMPARED})",
    r"(?:something|anything|one|ones|more|similar) (?:like|to|as) (?:this|that|it|these|those|the)",
    r"like (?:this|that|it|these|those)\b|similar|same (?:but|one|style|thing|kind|dress|shirt|in|with|again)"
    r"|the same\b",
    rf"(?:a (?:bit|little)|slightly|much|even|way) \w+er\b|(?:more|less) \w+|(?:{_COMPARED})\b",
    rf"(?:have|got|does|get|see|show me|want|like|love|prefer|need|is|are|available|find) (?:{POINT}|this one"
    rf"|that one|the (?:same|\w+ one|first|second|third|fourth|fifth|last))"
    r"(?: one)? (?:come )?(?:also |available |too )?in\b",
    r"(?:come|comes|available) in|(?:what|how) about|any(?:thing)? (?:in|with|without|for|from|by|cheaper|else|more"
    r"|less|longer|shorter)",
    r"none of (?:the|these|those|them)\b|(?:i )?(?:hate|dislike|not feeling|not keen on|not (?:really )?into|do(?:n't"
    r"| not) (?:really )?(?:like|fancy|love)) (?:any of )?"
    r"(?:it|this|that|these|those|them|any)\b",
    r"^(?:(?:yes|ok(?:ay)?|and|please)[ ,]+)*(?:keep going|go on|carry on|continue|next(?: (?:page|one|ones|please))*"
    r"|another(?: (?:one|ones|please))*)\W*$",
    r"others?\b|show (?:me )?more|more (?:results|options|like)|else|add (?:a |an |some )?\w+|remove|take off"
    r"|get rid|keep (?:it|the|everything)",
)  # fmt: skip
ELLIPTIC = re.compile(
    r"^(?:(?:and|or|ok(?:ay)?|yes|yeah|hm+|well|please|maybe|now|just|also|perhaps|actually|no|but|so|then|great"
    r"|nice|cool|alright)[ ,]+)*"
    r"(?:in|with|without|but|for|under|below|over|is|has|have|are|no|not|less|more|from|by|only|instead|it|same"
    r"|something|anything|a bit"
    r"|much|too|between|around|up to|made|needs?|nothing|slightly|i(?:'d| would) (?:prefer|rather)|prefer|must|should"
    r"|having|wants?|as|ones?)\b"
)

MORE = re.compile(
    r"\b(?:more|else|others?|another|next|different|the rest|further)\b|^(?:(?:yes|ok(?:ay)?|and"
    r"|please)[ ,]+)*(?:keep going"
    r"|go on|carry on|continue)\W*$"
)
"""With an unchanged plan: what was not shown yet."""

# --- questions -------------------------------------------------------------------------------------------------------

QUESTION_ABOUT = re.compile(
    r"^(?:and |so |but |ok(?:ay)? |please |hm+ |wait )*(?:is|are|was|were|does|do|has|have|did|will|would|can) "
    r"(?!(?:it|this|that|these|those|they) be\b)(?:it|this|that|these|those|they|the|number|#|item|both|its|either"
    r"|any of (?:these|those|them))\b(?! you)"
)
ASK = phrases(
    r"compare|comparison|differ(?:ence|ent)?\b(?! (?:colou?r|one|style|kind|angle|garment|side))"
    r"|how do(?:es)? .{0,40} compare",
    r"tell me (?:more )?about|(?:more|any|some) (?:details|info(?:rmation)?)|details (?:of|on|about)|describe",
    r"what is (?:it|this|that)\b(?! (?:in|called in))|what(?:'s| is) (?:the )?(?:first|second|third|fourth|fifth"
    r"|last|number)",
    r"how many|how much|who (?:makes|made|designed)|which (?:one|of)\b|which (?:is|are) the \w+est\b|what(?:'s| is"
    r"| are) (?:it|this|that|they"
    r"|these) (?:made|called)",
    r"(?:can|could|should|is it ok to) (?:i|you) (?:machine |hand |tumble )?(?:wash|iron|dry|put (?:it|this|that"
    r"|the \w+)(?: \w+)?"
    r" in the (?:wash|dryer|machine))\b",
    r"(?:can|could|may|should|does|do|will) (?:it|this|that|these|those|they|the \w+"
    r"|number \w+)(?: one)? (?:be )?(?:\w+ )?"
    r"(?:wash(?:ed)?|iron(?:ed)?|shrink|stretch|fade|crease|last|run (?:small|large|big|true))\b",
    r"how (?:warm|thick|heavy|comfortable|comfy|stretchy|soft|long|short|big|old|thin|waterproof|formal|sturdy|good"
    r"|wide|tall|high)"
    r" (?:is|are|does|do|was)\b|how (?:does|do) (?:it|this|that|they|these|the \w+|number \w+)(?: one)? (?:fit|fasten"
    r"|close|feel"
    r"|look|compare|do up)",
    r"which (?:would|do|should|one would) (?:you|i)\b|what (?:do you think|would you (?:pick|choose|recommend|buy))"
    r"|your (?:favou?rite|opinion)",
)
WHY = re.compile(
    r"\bwhy\b(?! not\b)|\bhow (?:did|do|have) you (?:choose|chose|pick|find|found|select|decide|rank|sort|order"
    r"|come up)"
    r"|\bwhat (?:did|have|was|were) (?:you )?(?:leave|left|filter|filtered|exclude|excluded|remove|removed|relax"
    r"|relaxed|ignore"
    r"|ignored)\b|\bwhat makes (?:it|this|these|them|you)\b|\bexplain (?:the|these|this|that|your|why)"
    r"|\bon what basis\b"
)
"""Asks for the reasons of what is shown."""
WH = phrases(
    r"(?:what|which|how|who|whose|when|whats|tell me)\b(?! (?:about|else))|(?:do|would) you know|(?:can"
    r"|could) you (?:tell|give)"
    r"|give me|may i (?:know|ask)",
    r"i(?:'d| would)? (?:want|like|need) to know|can i (?:get|have|know)|(?:price|cost|brand|material|fabric) of"
    r"|do(?:es)? (?:you|it) have (?:any )?(?:info|details)",
)  # fmt: skip
ASKS = re.compile(r"\?|^(?:what|which|how|who|when|where|why|is|are|do|does|have|has|can|could|tell)\b")
SUGGESTS = re.compile(
    r"^(?:(?:and|or|ok(?:ay)?|hm+|well|so|then|alright|maybe|great|nice|yes|yeah|no)[ ,.!]+)*(?:how|what) (?:about"
    r"|else)\b"
)
"""A wish in the form of a question."""
BARE_ATTRIBUTE = re.compile(
    r"^(?:and )?(?:the |its |their )?(?:price|brand|material|fabric|size|colou?r|pattern|neckline)s?\W*$"
)
WANTS_ITEMS = phrases(
    r"do you (?:also |still |even )?(?:have|sell|carry|stock)|have you got|show me|i(?:'m| am) (?:also )?(?:looking"
    r"|after|searching)",
    r"looking for|find me|search for|(?:i (?:also )?(?:need|want|would like)|i'd like) (?:a|an|some)\b|is there (?:a"
    r"|any)|are there any|got any",
    r"any (?:\w+ ){0,2}\w+s\b",
)  # fmt: skip
CORRECTION = re.compile(
    r"^(?:(?:no|nope|nah|not that|sorry|oops|wait|actually|hm+)[ ,.!]+)*(?:i meant?|i was (?:talking|asking) about)\b"
    r"|^(?:no|nope|not that(?: one)?)[ ,.!]+(?:the|that|those) (?!i\b)"
)
NEW_WISH = phrases(
    r"forget (?:that|it|the \w+)(?=[,.;!])",
    r"(?:(?:i (?:also )?(?:need|want|would like)|i'd like)|(?:i'm |i am )?looking for|find me|search for"
    r"|help me find) (?:me )?(?:a|an|some|something)\b"
    r"(?!.*\b(?:ones?|version|it|else|similar|like|more|less|instead)\b)",
)  # fmt: skip
WHAT_IS_THERE = re.compile(
    r"^what (?:all |else )?(?:do you (?:have|sell|carry|stock)|is there|can i (?:buy|find|get))(?: here)?\W*$"
)
_ANYTHING_OF = {name: words for name, words in ATTRIBUTE_WORDS.items() if name not in ("size", "reviews", "year")}
OPEN = {
    name: re.compile(
        rf"\b(?:any|whatever|all|every)(?: kinds? of)? (?:{words})\b(?! (?:but|except))"
        r"(?: (?:is|are|will be) (?:fine|ok(?:ay)?|good))?"
        r"|\b(?:remove|drop|forget|ignore|lift|clear|skip|never ?mind)(?: about)? (?:the|my|that)"
        rf" (?:{words})(?: filters?)?\W*$"
        rf"|\b(?:{words}) (?:does not|doesn't|do not|don't|is not|isn't) (?:matter|important)"
        rf"|\b(?:don't|do not) (?:care|mind)(?: about)?(?: the| which| what)? (?:{words})\b"
    )
    for name, words in _ANYTHING_OF.items()
}
OPEN["price"] = re.compile(
    OPEN["price"].pattern
    + r"|\bmoney (?:is )?no (?:object|issue|problem)|\b(?:price|money|budget|cost) (?:does not|doesn't|doesnt"
    r"|is not|isn't|isnt|is no longer|no longer) (?:matter|important|a problem|an issue|limited)"
    r"|\b(?:no|without an?|forget the|never ?mind the|drop the|ignore the|lift the|remove the) (?:price "
    r"|upper )?(?:limit|budget"
    r"|maximum|max|cap)\b|\b(?:whatever (?:it costs|the (?:price|cost))|any price|at any price)"
)
"""Attribute -> how one says that it may be anything from now on."""
GALLERY_QUESTION = re.compile(
    r"(?:what|which) (?:\w+ ){0,4}(?:do you (?:have|sell|carry|stock)|are there|have you|(?:do|does|are|is) (?:the "
    r"|your |all )?"
    r"(?:\w+ ){1,3}(?:come in|available(?: in)?|made (?:of|from)))"
)
OFFERED_IN = re.compile(
    r"\b(?:come|comes|available|have (?:it|this|that|them|one|any|something|anything)|got|is there"
    r"|are there) (?:\w+ ){0,3}(?:in|with|for|without)\b"
)
SIZE = re.compile(
    r"\b(?:what|which|available|my|your|in|other|the) sizes?\b|\bin (?:a )?size\b|\bsizes (?:do|are|does)\b"
    r"|\bin (?:an? )?(?:xs|s|m|l|xl|xxl|extra (?:small|large))\b\W*$|\bsize (?:xs|s|m|l|xl|xxl|\d+)\b"
)
SIZE_SAID = re.compile(
    r"\b(?:in )?(?:an? )?size (?:xs|s|m|l|xl|xxl|\d+|extra (?:small|large)|small|medium|large)\b"
    r"|\bin (?:an? )?(?:xs|s|m|l|xl|xxl|extra (?:small|large))\b"
)
FOUND_IN_A_SIZE = phrases(
    r"(?:something|anything|ones?|options|those|items|more|else|similar|like (?:this|that|it|those|them))\b.{0,60}"
    r"\b(?:in (?:an? )?(?:size )?|size )(?:xs|s|m|l|xl|xxl|\d+|extra (?:small|large)|small|medium|large)\b",
    r"(?:looking for|show me|find|how about|what about|what else|i need|i want)\b.{0,60}\b(?:in (?:an? )?(?:size )?"
    r"|size )"
    r"(?:xs|s|m|l|xl|xxl|\d+|extra (?:small|large)|small|medium|large)\b",
)  # fmt: skip
"""A wish that no catalogue without sizes can keep, but no question either."""
SIZE_OF_WHAT = re.compile(
    r"\b(?:it|this|that|these|those|they|them|one|what|which|available|first|second|third|fourth|fifth|number|last)\b"
)
