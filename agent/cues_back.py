"""Phrases that go back: to an earlier turn, or to a fresh start."""

from __future__ import annotations

import re

from agent.cues import phrases

RESTART = phrases(
    r"(?:start|begin)(?:ing)? (?:over|again|afresh|fresh|anew|from scratch|from the (?:beginning|start) again)"
    r"|new search|from scratch|reset|forget (?:it|that|everything"
    r"|all)(?: all)?\W*$",
    r"clear (?:everything|all|the filters|the search)|something (?:completely|totally|entirely) (?:different|new)",
)
_PAST = "previous|last|earlier|first|original|initial|prior|old"
ROLLBACK = re.compile(
    r"\b(?:(?:let's |let us |let me |can we |can you |could you |please |i want to |i'd like to |actually,? )*"
    r"(?:go|going|went|take me|take us|take it|switch|return|jump|get|step|bring me|head|move|flip|roll|put me"
    r"|bring)(?: me| us| it)? back(?: again)?(?: to)?"
    r"|(?:(?<=^)|(?<=[.,!?;:] )|(?<=and )|(?<=then )|(?<=now )|(?<=okay )|(?<=ok )|(?<=then, ))back to"
    r"|(?:let me |let us |let's )?(?:return to|revisit)|rewind(?: to)?|roll ?back(?: to)?|back up(?: a bit| to)?"
    r"|undo(?: (?:that|it|this|the last (?:step|change|one|thing)|my last \w+|last))?|revert(?: (?:to|that|it"
    r"|this))?|take that back|cancel (?:that|the last)"
    rf"|(?:show|give|see|display|open|reopen)(?: me)?(?: again)? (?:the |my |your )?(?:{_PAST}) (?:results|search"
    rf"|ones|list|set|selection|page)(?: again)?"
    r"|(?:take|bring|get) (?:me|us) to (?:the )?(?:turn|step|first search|previous|earlier|last search)"
    r"|(?:the )?(?:one|ones|results?) (?:just )?before(?: that)?\W*$|^(?:the )?previous(?: (?:one|ones|results?|page"
    r"|step|turn|search))?(?: please)?\W*$"
    r"|(?:continue|carry on|start|work|pick up|resume|proceed|branch) (?:again )?(?:from|with|at"
    r"|on) (?:the )?(?:turn|step|search|first|second|third|previous|earlier|original)"
    r"|(?:see|show(?: me)?|view|open|look at|display) turn (?:\d+|\w+)"
    r"|(?:the )?(?:previous|earlier|first) (?:ones|results?|list|selection) (?:were|was|looked) (?:nicer|better|good"
    r"|fine)"
    rf"|^back\W*$|i (?:liked|preferred) (?:the )?(?:{_PAST}) (?:ones|results?|search|selection|list)(?: (?:better"
    rf"|more))?"
    r"|(?:the )?(?:ones|results|options|selection|list) (?:from )?(?:before|earlier)(?: that)? (?:were|was"
    r"|looked) (?:\w+ )?"
    r"(?:nicer|better|good|fine|more)"
    rf"|^(?:ok(?:ay)?[, ]+|hm+[, ]+|no[, ]+|actually[, ]+)*(?:the )?(?:{_PAST}) (?:search|results|selection"
    rf"|query)(?= ?(?:$|[,;.!?]"
    rf"|but|again|please))"
    r"|(?:forget|scrap|ignore|discard) (?:that|the) (?:last|change)(?: \w+)?\W*$)"
)  # fmt: skip
