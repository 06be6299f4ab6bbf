"""Phrases of messages that ask for nothing that could be found: small talk, the cart, delivery, other matters."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agent.cues import phrases

OTHER_KINDS: Mapping[str, re.Pattern[str]] = {
    "cart": phrases(
        r"(?:add|put|place|throw|get|toss|drop|into|in|to)\b.{0,80}\b(?:my |the |a )?(?:shopping )?"
        r"(?:cart|basket|trolley|wish ?list)\b",
        r"(?:^|[.!?] ?|please |(?:can|could|would) you )(?:please |also )*(?:add|give me) (?:the|it|that|those|these"
        r"|both|them)\b"
        r"(?! (?:price|brand|size|option|filter|colou?r|name))(?!.{0,20}\b(?:to|with) (?:it|this|that)\b)",
        r"(?:i'll|i will|i'd like to|i would like to|i'm going to|i want to|let me) (?:just |also "
        r"|go ahead and )?(?:take|grab|buy|order|get)"
        r" (?:it|this|that|them|both|the|these|those|one of|another one|two of)\b(?! a look)",
        r"add to (?:bag|cart|basket)",
        r"i(?:'ll| will| would like to|'d like to| want to)? (?:just )?(?:take|buy|order|purchase)\b(?! a look)"
        r"(?=.{0,40}(?:\b(?:it|this|that|them|both|one|these|those)\b|$))",
        r"(?:buy|purchase) (?:it|this|that|them|these|the)\b|order (?:it|this|that|the|these)\b",
        r"check ?out\b(?! (?:the|this|these|some))",
        r"place (?:an|my) order|order status|track my|save .{0,30}(?:to|for) (?:my |the )?(?:wish ?list|favou?rites"
        r"|later)",
        r"buy (?:number|#|both|one of)|(?:i'?d|i would) (?:like|love) to (?:buy|order|purchase) (?:number|the|this"
        r"|that|it)",
        r"pay(?:ment)? (?:by|with|method|on|in)\b|(?:can|do|could|how do|how can|may) i pay\b|(?:take"
        r"|accept) (?:paypal|klarna"
        r"|visa|mastercard|amex|cash|cards?|credit|apple pay|google pay|bitcoin)\b|klarna|paypal",
        r"(?:reserve|hold|set aside) (?:it|this|that|one|them|the|number)\b",
        r"(?:add|put|pop|place|throw) (?:it|this|that|them|those|these|both|number|the)\b.{0,30}\b(?:in|into"
        r"|to) (?:the|my)"
        r" bag\b",
    ),
    "delivery": phrases(
        r"shipping|deliver(?:y|ed|ing|ies)?\b|ship (?:to|it|abroad|internationally|worldwide|overseas)",
        r"(?:send|post|mail) (?:it|this|that|them|these|those|the \w+|number \w+)(?: one)? to\b",
        r"(?:when|how (?:soon|long|quickly|fast))\b.{0,30}\b(?:arrive|come|get here|here)\b|(?:arrive|get here|be here)"
        r" (?:by|before|on|in time|tomorrow|today)\b",
        r"my (?:parcel|package|shipment|order)\b|where(?:'s| is) my\b",
    ),
    "returns": phrases(
        r"returns? (?:policy|it|this|them|stuff|things|clothes|an? \w+|my \w+|something|the \w+ i)\b(?! turn)"
        r"|exchange (?:it|this|an?|my)|refunds?\b|money back|(?:send|bring|give) (?:it|this|them|something|stuff) back",
    ),
    "price_off": phrases(
        r"discounts?|coupons?|vouchers?|promo(?:tion)? ?(?:code)?s?\b|gift cards?|(?:on|in the|a|any"
        r"|for) sales?\b(?! price)"
        r"|reduced(?: price| items?| to clear)?|clearance|special offers?|any (?:deals|offers)\b|half price|loyalty",
    ),
    "service": phrases(
        r"customer (?:service|support|care)|opening (?:hours|times)|(?:what time|when) do you (?:open|close)"
        r"|are you open|where (?:is|are) (?:your|the) (?:shop|store|stores|shops)\b|phone number|complain",
        r"(?:speak|talk|chat) (?:to|with) (?:a |an |some)?(?:human|person|real|body|one|agent|someone|somebody|member"
        r"|staff)",
        r"(?:my|an?|reset the) (?:account|password|log ?in|profile|e-?mail)\b|(?:log|sign) (?:in|out|up)\b(?! with)"
        r"|newsletter|(?:apply|work) (?:for a job|for you)|privacy policy",
    ),
    "help": re.compile(
        r"\b(?:what can you do|what can i (?:do|ask)|how do(?:es)? (?:you|this|it) work|what do you do|who are you"
        r"|(?:about|describe) yourself"
        r"|what are you"
        r"|(?:how do|how can|how should|can you show me how to) (?:i|we|one) use (?:this|it|you)|who (?:made|built"
        r"|programmed"
        r"|created) you|what (?:r|are) (?:you|u)\b(?! (?:showing|looking|selling|wearing|carrying))"
        r"|are you (?:an? )?(?:chat ?gpt|ai|computer"
        r"|program|gpt|llm|person|alive)|how smart are you"
        r"|are you (?:a )?(?:bot|human|robot|real)|your name|help me with what|how can you help)|^help(?: me)?\W*$"
    ),
    "thanks": re.compile(
        r"^(?:(?:ok(?:ay)?|great|perfect|cool|nice|awesome|lovely|wonderful|brilliant|excellent|alright|no"
        r"|that's all|all good)[ ,.!]*)*"
        r"(?:many )?(?:thanks|thank you|thx|ty|cheers)\b"
        r"(?:[ ,.!]*(?:so much|a lot|very much|for (?:your|the|all) (?:the )?help|again|that's all|that is all|bye"
        r"|you've been great))*\W*$"
        r"|^(?:(?:no|ok(?:ay)?|great|cool|lovely|nice|perfect|brilliant)[ ,.!]*)*(?:ta|merci|danke|gracias"
        r"|much appreciated"
        r"|appreciated|cheers|thanks|thank (?:you|u))(?:[ ,.!]*(?:very|so|ever|much|mate|love|dear|a (?:lot|million"
        r"|bunch)|loads"
        r"|though|again|everyone|all|for (?:that|now|everything)))*\W*$"
        r"|^(?:(?:that(?:'s| is)|sounds?|it(?:'s| is)|looks?|all|oh|ah|very|so|really|just|haha|lol|yes|yep|yeah"
        r"|ok(?:ay)?) )*"
        r"(?:sure|fine|good|great stuff|good stuff|nice one|omg|cool beans|sweet|fab(?:ulous)?|neat|superb|fantastic"
        r"|wicked"
        r"|sick|dope|yay|hurray|hooray|congrats|super|yes|yep|yeah|no|nope|never ?mind|no worries|no problem|all good"
        r"|got it"
        r"|i see|understood|right|alright|hm+|oh|aha|interesting|exactly|indeed|fair enough|nice)[ !.]*$"
        r"|^(?:(?:oh|haha|lol|ha|very|so|really|how|that's|thats|those are|these are|they are|they're) )*(?:great"
        r"|perfect|cool|nice|awesome|lovely|beautiful|ok(?:ay)?|wonderful|brilliant|excellent|wow|amazing|gorgeous"
        r"|stunning"
        r"|lol|haha|hehe|ha ?ha"
        r"|i (?:really )?(?:love|like) (?:it|this|that|them)|looks? (?:great|good|nice)"
        r"|you(?:'re| are) (?:great|amazing|the best|(?:really |very |so )?helpful))[ !.]*$"
    ),
    "bye": re.compile(
        r"^(?:(?:ok(?:ay)?|thanks|right|well)[ ,]+)?(?:i(?:'ve| have)? (?:have to|got to|gotta|must|should"
        r"|need to) (?:go|run|leave)\b"
        r"|gotta (?:go|run)|got to (?:go|run)|ciao|cya|good ?night|bye|goodbye|see you|that's all|that is all"
        r"|that will be all|nothing else"
        r"|i'm done)\b.{0,20}$"
    ),
    "greeting": re.compile(
        r"^(?:hi|hello|hey|good (?:morning|evening|afternoon|day)|hiya|howdy|greetings|yo|sup|hola)\b"
        r"(?:[ ,!.]*(?:there|everyone|how are you(?: doing)?(?: today)?|how's it going|what's up|friend"
        r"|assistant))*\W*$"
        r"|^(?:how are you(?: doing)?(?: today)?|how's it going|what's up|(?:are you|anybody|anyone) there)\W*$"
    ),
    "rude": phrases(
        r"(?:stupid|dumb|useless|idiot(?:ic)?|crap|rubbish|terrible|worst|bad) (?:bot|robot|ai|assistant|machine"
        r"|chatbot|thing"
        r"|app|website|site|shop)\b",
        r"you(?:'re| are| r) (?:\w+ )?(?:useless|stupid|dumb|rubbish|terrible|an? idiot|no help|not helping|not helpful"
        r"|hopeless|crap)|you suck|this is (?:useless|rubbish|stupid)|shut up|f+u+c+k|go away\W*$"
        r"|what is wrong with you",
    ),
    "off_topic": phrases(
        r"weather (?:in|today|tomorrow|like|forecast)|the weather\b|forecast|jokes?\b|poems?\b|recipes?\b|pizza"
        r"|president|capital of",
        r"football|flights?\b|hotels?\b|laptops?\b(?! bag)|smartphones?|iphones?\b|the news|stock market|translate"
        r"|python code",
        r"write (?:me )?(?:a|an|some) (?:poem|story|essay|code|song)|what time is it|what day is it|bitcoin"
        r"|movies?\b|restaurants?\b",
        r"furniture|sofas?\b|groceries|world cup|\d+ ?(?:[+*/]|times|plus|minus|divided by) ?\d+|meaning of life"
        r"|homework|capital of|sing (?:me )?|who won\b|do you (?:(?:like|love)(?! (?:it|this|that|the|these|those"
        r"|them|my|number|either|any))|believe|sleep|eat|dream|have (?:feelings|friends|a"
        r" (?:girlfriend|boyfriend|name|pet)))\b|are you (?:married|single|happy|hungry|ok\b|okay\b)|how old are you",
        r"car insurance|system prompt|ignore (?:all|your|previous|the) |(?:some |play )music",
    ),
}  # fmt: skip
"""The kinds of OTHER, in the order in which they are tried."""
