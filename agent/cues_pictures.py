"""Phrases about one item's pictures: the item seen another way, and the shopper's own picture of it."""

from __future__ import annotations

import re

from agent.cues import POINT, phrases

_PICTURE = r"(?:photo(?:graph)?s?|pictures?|pics?|images?|snaps?|snapshots?|screenshots?|selfie|shots?)"
_DRAWING = r"(?:drawings?|sketch(?:es)?|doodle|scribble)"
_OWN = r"(?:this|that|the|my|our|these|attached|uploaded)"
OF_OWN_PICTURE = re.compile(
    rf"\b(?:(?:i|we) (?:\w+ )?(?:took|take|shot|made|have|snapped|saw|found|drew|sketched|uploaded|attached) )?"
    rf"(?:(?:an?|the|some) )?(?:{_PICTURE}|{_DRAWING}) (?:of|with) (?:it|this|that|them|these|those)\b"
    rf"|\b(?:of|in|from|on|like|as in|as on|as) {_OWN} (?:attached |uploaded )?(?:{_PICTURE}|{_DRAWING})\b"
    r"(?: here| above)?"
    r"|\b(?:(?:what|which|that|as|like) )?(?:i|we) (?:\w+ )?"
    r"(?:drew|sketched|have drawn|photographed|snapped|uploaded|attached)\b"
)
"""Words that only say that there is a picture."""
_FINDS = rf"\b(?:find|sell|stock|carry|have|got|which one|what|where|please|looking for|want|need|{_PICTURE})\b"
SHOWN_IN_PICTURE = re.compile(
    rf"\b(?:in|from|on) {_OWN} (?:attached |uploaded )?{_PICTURE}\b"
    rf"|\b{_PICTURE} of (?:it|this|that|them|these|those)\b.*{_FINDS}"
    r"|\b(?:which|what) (?:one|ones|product|item|model)s? (?:is|are) (?:it|this|that|they|these|those)\b"
)
"""Of an uploaded picture: the very thing on it is wanted, unless something is to be changed."""
LIKE_IT = re.compile(r"\b(?:like|similar|resembl\w+|inspired|in the style|reminds?|close to)\b")
IN_SHOP = phrases(
    r"where (?:can|could|do|would|might|may|should) (?:i|we|one|you|people) (?:\w+ )?"
    r"(?:buy|get|order|purchase|find|shop)\b",
    r"(?:can|could|may) (?:i|we|one) (?:buy|get|order|purchase|find) (?:it|this|that|these|those|them)\b.{0,30}"
    r"\b(?:here|from you|at yours?|in (?:the|your|this) (?:shop|store)|in[ -]?store|online|somewhere|anywhere)",
    r"(?:is|are) (?:it|this|that|these|those)(?: \w+)? (?:still )?(?:in stock|available|for sale|on sale|sold)\b"
    r"(?: here| (?:in|at) (?:the |your |this )?(?:shop|store))?\W*$",
)
"""Of a picture that the shopper brings: where it is to be had. Of what the shop itself shows, a matter of the cart."""
_WAY = (
    r"(?:different(?:ly|\W*$)|(?:in |from )?(?:(?:an?other|a different|some other|any other|one more|a second)"
    r" (?:ways?|poses?|side|angle|view|viewpoint|picture|photo|image|shot|light|setting)"
    r"|different (?:ways|poses|sides|angles|views|light)))"
)
SAME_ITEM = phrases(
    rf"(?:see|seen|view|show(?: me| us)?|look at|display|photographed|pictured|shown|have) (?:{POINT}|the \w+)"
    rf"(?: (?:one|item|product|pair|\w+))? {_WAY}",
    rf"{POINT} look (?:like )?(?:in |from )?(?:an?other|a different|other|different)"
    r" (?:pictures?|photos?|angles?|sides?|views?|shots?|images?)",
    r"(?:more|other|different|additional|further|extra|any) (?:pictures|photos|images|shots|angles|views)\b"
    r"(?! (?:with|in)\b)",
    rf"(?:turn|rotate|flip|spin) {POINT}(?: \w+)? (?:around|round|over)\b|(?:the )?other side of {POINT}",
    r"(?:this|that|the|exactly|an?) ?(?:very |exact(?:ly)? |precise |identical |same )+(?:same )?(?:\w+ )?\w+"
    r"(?= ?(?:$|[?.!,]|in (?:the|your) (?:shop|store|gallery)|available|from|for sale|in stock|again|somewhere|here"
    r"|please))",
    r"exact(?:ly)? (?:same|this|that|these|those|match|one|item|product)|identical|exactly the \w+",
    r"(?:from|at) (?:an?other|a different|the other|all|different) (?:sides?|angles?|views?|directions?|perspectives?)",
    r"from (?:behind|the (?:back|side|front))|(?:side|back|rear|front|another|other|different) views?\b|(?:the"
    r"|its) back of",
    r"(?:other|another|more|different) (?:pictures?|photos?|images?|shots?|angles?|views?) of\b",
    r"(?:another|a different|other) (?:angle|picture|photo)",
    rf"(?:do you|have you) (?:sell|stock|carry|got|have) {POINT}(?: (?:one|item|product|exact \w+|very \w+|\w+))?"
    r"(?: here| (?:in|at) (?:the |your |this )?(?:shop|store|gallery|catalogue|stock)| (?:available|for sale))*\W*$",
    rf"(?:find|where (?:can|do) i (?:find|get|buy)|is) {POINT}(?: (?:one|item|product|exact \w+|very \w+|\w+))?"
    r" in (?:the|your) (?:shop|store|catalogue|catalog|gallery)\b",
    rf"where (?:can|do) i (?:find|get) {POINT}\b|can you find {POINT}\b",
    rf"what(?:'s| is) {POINT} (?:\w+ )?called|(?:locate|identify|recogni[sz]e) {POINT}\b",
    rf"^(?:please )?(?:can you |could you )?(?:find|identify)(?: me| us)? {POINT}(?: \w+){{0,2}}\W*$",
    rf"(?:find|have|sell|stock|carry) {POINT}(?: \w+){{0,3}} (?:in|at) (?:the|your) (?:shop|store|catalogue|gallery)\b",
    r"this (?:very|exact) \w+|(?:which|what) (?:of your )?(?:product|item|model)s? is (?:this|that|it)\b",
)
