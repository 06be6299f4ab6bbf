"""The default planner: no language model, a few milliseconds, and every decision can be read.

A message is read (`agent.reading`), what it points at is looked up (`agent.references`), its intent is decided
(`agent.intents`), and what remains is the wish (`agent.wishes`); this module puts the four together into a plan.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agent.intents import Decision, attributes_named, decide
from agent.planners.nearest import NearestExamples, load_examples
from agent.planners.rollback import Return, find_return
from agent.protocols import Catalogue, Outcome, SentenceEncoder
from agent.reading import Reading, read, within
from agent.references import Referent, earlier_spans, refer
from agent.replies import reply_to
from agent.scene import Scene, items_of, look, own_filters
from agent.vocabulary import Lexicon, group_of, listed
from agent.wishes import Wish, carry, compare, drop_words, wish_of
from retrieval.errors import MessageError
from retrieval.schema import Filter, Intent, Item, Message, Plan, Reply, Session, Turn

if TYPE_CHECKING:
    from retrieval.protocols import Facet

_GREETING = re.compile(
    r"^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you(?: so much)?|okay|ok|great|perfect|nice|cool|lovely|awesome|wow"
    r"|yes|yeah|yep|sure|alright|please|hmm+|um+|uh|oh|there)\b[\s,!.-]*)+(?=\w)"
)
_UNSURE = re.compile(r"^\W*$")


@dataclass(frozen=True, slots=True)
class Understanding:
    """What the parts found out about one message."""

    reading: Reading
    scene: Scene
    referent: Referent
    decision: Decision
    wish: Wish
    lexicon: Lexicon

    @property
    def base(self) -> Turn | None:
        return self.referent.turn or self.scene.turn

    @property
    def facets(self) -> Mapping[str, Facet]:
        return self.scene.catalogue.facets

    @property
    def item_ids(self) -> tuple[str, ...]:
        return tuple(item.item_id for item in self.referent.items)


class RulesPlanner:
    """Give it the sentence encoder of the embedded weights to decide what the cues leave open; it works without, too.

    Safe to share between users: it remembers only the vocabulary of the gallery that it saw last.
    """

    def __init__(self, encode_sentences: SentenceEncoder | None = None) -> None:
        examples = load_examples()
        self._known_words = (
            frozenset(word for text, _ in examples for word in re.findall(r"[a-z]+", text.lower())) | _ENGLISH
        )
        self._examples = NearestExamples(encode_sentences, examples) if encode_sentences else None
        self._lexicon: Lexicon | None = None

    def understand(self, session: Session, message: Message, catalogue: Catalogue) -> Plan:
        lexicon = self._lexicon_of(catalogue)
        text = message.text.strip()
        scene = look(session, message, catalogue)
        if found := find_return(text, session, scene, lexicon):
            return self._return(found, message, lexicon)
        if not text:
            return _without_words(message, scene)
        return self._plan(text, scene, lexicon)

    def respond(self, session: Session, message: Message, plan: Plan, outcome: Outcome) -> Reply:
        return reply_to(session, message, plan, outcome)

    def _lexicon_of(self, catalogue: Catalogue) -> Lexicon:
        lexicon = self._lexicon
        if lexicon is None or (lexicon.facets is not catalogue.facets and lexicon.facets != catalogue.facets):
            lexicon = self._lexicon = Lexicon(catalogue.facets)
        return lexicon

    def _plan(self, text: str, scene: Scene, lexicon: Lexicon) -> Plan:
        reading = read(
            _GREETING.sub("", text.lower()) if _GREETING.sub("", text.lower()) else text, lexicon, self._known_words
        )
        referent = refer(reading, scene)
        decision = decide(reading, scene, referent, self._examples)
        pointing = (*referent.spans, *earlier_spans(reading.text)) if referent.is_pointed else referent.spans
        wish = wish_of(reading, pointing, decision.cues, scene.catalogue.facets)
        return PLANS[decision.intent](Understanding(reading, scene, referent, decision, wish, lexicon))

    def _return(self, found: Return, message: Message, lexicon: Lexicon) -> Plan:
        """Back to an earlier turn; what else the message says is understood as if it had been said there."""
        if found.turn is None:
            return Plan(Intent.ROLLBACK, notes=found.notes)
        if not found.rest and not message.images:
            shown = found.turn.plan
            return replace(
                shown, intent=Intent.ROLLBACK, then=None, reference_turn=found.turn.turn_number, notes=found.notes
            )
        plan = self._plan(found.rest, found.scene, lexicon) if found.rest else _without_words(message, found.scene)
        if plan.intent in (Intent.OTHER, Intent.ROLLBACK):
            return replace(found.turn.plan, intent=Intent.ROLLBACK, then=None, reference_turn=found.turn.turn_number)
        return replace(plan, intent=Intent.ROLLBACK, then=plan.intent, reference_turn=found.turn.turn_number,
                       notes=(*found.notes, *plan.notes))  # fmt: skip


def _without_words(message: Message, scene: Scene) -> Plan:
    """A picture, a selection or filters alone."""
    if message.images:
        return Plan(Intent.SEARCH)
    if scene.selected is not None:
        return Plan(Intent.MODIFY, reference_turn=_number(scene.turn), references=(scene.selected.item_id,),
                    filters=_kept_of([scene.selected], (), scene.catalogue.facets))  # fmt: skip
    if scene.turn is not None and message.filters:
        old = scene.turn.plan
        return replace(old, intent=_again(old), then=None, reference_turn=scene.turn.turn_number,
                       filters=carry(own_filters(scene.turn), message.filters), notes=())  # fmt: skip
    return Plan(Intent.SEARCH)


# --- one function an intent ------------------------------------------------------------------------------------------


def _search(found: Understanding) -> Plan:
    wish = compare(found.wish, (), (), found.facets)
    filters, notes = wish.filters, wish.notes
    if "gender" not in wish.attributes and (spoken := _gender_said_before(found)):
        filters = (*filters, spoken)
        notes = (*notes, f"still for {listed(map(str, spoken.values[:1]))}")
    text = wish.text or _words_of(filters) or found.reading.text
    return Plan(Intent.SEARCH, text=text, filters=filters, unwanted_texts=wish.unwanted_texts, notes=notes)


def _modify(found: Understanding) -> Plan:
    if found.wish.is_less_like and found.referent.items:
        return _less_like(found)
    if found.referent.items or found.scene.has_upload or found.base is None:
        return _modify_item(found)
    return _refine(found, found.base)


def _modify_item(found: Understanding) -> Plan:
    items, base = found.referent.items, found.base
    wish = compare(found.wish, items, found.scene.shown(base), found.facets)
    kept = _kept_of(items, own_filters(base) if base and items else (), found.facets)
    if base is None and not found.scene.has_reference:
        return _search(found)
    return Plan(
        Intent.MODIFY,
        text=wish.text,
        reference_turn=_number(base) if items else None,
        references=found.item_ids,
        filters=carry(kept, wish.filters),
        unwanted_texts=_carried_unwanted(found, base if items else None),
        notes=(*found.referent.notes, *wish.notes),
    )


def _refine(found: Understanding, base: Turn) -> Plan:
    """Nothing is pointed at: the earlier wish itself is changed, and what it referred to stays."""
    wish = compare(found.wish, (), found.scene.shown(base), found.facets)
    decided = {condition.attribute for condition in wish.filters}
    old = drop_words(base.plan.text, decided, found.lexicon)
    new_words = [word for word in wish.text.split() if word not in old.split()]
    return Plan(
        _again(base.plan),
        text=" ".join([*new_words, old]).strip() or _words_of(wish.filters),
        reference_turn=base.turn_number,
        references=base.plan.references,
        filters=carry(own_filters(base), wish.filters),
        unwanted_texts=_carried_unwanted(found, base),
        unwanted_items=base.plan.unwanted_items,
        attribute=base.plan.attribute if _again(base.plan) is Intent.SAME_ATTRIBUTE else "",
        notes=wish.notes,
    )


def _less_like(found: Understanding) -> Plan:
    base = found.base
    wish = found.wish
    old = base.plan if base else Plan(Intent.SEARCH)
    return Plan(
        Intent.MODIFY,
        text=" ".join(filter(None, (wish.text, old.text))),
        reference_turn=_number(base),
        references=tuple(item_id for item_id in old.references if item_id not in found.item_ids),
        filters=carry(own_filters(base) if base else (), wish.filters),
        unwanted_texts=_carried_unwanted(found, base),
        unwanted_items=tuple(dict.fromkeys((*old.unwanted_items, *found.item_ids))),
        notes=(*found.referent.notes, *wish.notes),
    )


def _same_item(found: Understanding) -> Plan:
    items = found.referent.items or _best(found)
    categories = _values(items, "category")
    filters = (Filter("category", "any_of", categories),) if categories else ()
    return Plan(Intent.SAME_ITEM, reference_turn=_number(found.base), references=_ids(items), filters=filters,
                notes=found.referent.notes)  # fmt: skip


def _compatible(found: Understanding) -> Plan:
    items = found.referent.items or (() if _names_its_own_anchor(found) else _best(found))
    if not items and not found.scene.has_upload:
        return _compatible_with_words(found)
    wish = compare(found.wish, (), (), found.facets)
    own = tuple(value for item in items for value in _own_kind(str(item.attributes.get("category", "")), found.lexicon))
    wanted = tuple(_outside_own_kind(wish.filters, own))
    gender = _gender_of(items, found.facets)
    filters = carry(gender, wanted)
    if own and not any(f.attribute == "category" for f in wanted):
        filters = (*filters, Filter("category", "none_of", tuple(dict.fromkeys(own))))
    return Plan(Intent.COMPATIBLE, text=wish.text, reference_turn=_number(found.base) if items else None, references=_ids(items),
                filters=filters, unwanted_texts=wish.unwanted_texts, notes=(*found.referent.notes, *wish.notes))  # fmt: skip


def _compatible_with_words(found: Understanding) -> Plan:
    """ "What shoes go with a navy blazer?": what is named after "with" is what the shopper has."""
    at = max((found.reading.text.rfind(f" {word} ") for word in ("with", "match", "for", "matching")), default=-1)
    had = [mention for mention in found.reading.mentions if mention.span[0] > at]
    wish = wish_of(found.reading, [m.span for m in had], found.decision.cues, found.facets)
    own = tuple(
        v
        for m in had
        if m.attribute == "category"
        for value in m.meaning.values
        for v in _own_kind(value, found.lexicon)
    )
    wanted = tuple(_outside_own_kind(wish.filters, own))
    genders = tuple(Filter("gender", "any_of", m.meaning.values) for m in had if m.attribute == "gender")
    filters = carry(genders, wanted)
    if own and not any(f.attribute == "category" for f in wanted):
        filters = (*filters, Filter("category", "none_of", tuple(dict.fromkeys(own))))
    text = " ".join(m.said for m in had) or found.wish.text
    return Plan(
        Intent.COMPATIBLE, text=text, filters=filters, unwanted_texts=wish.unwanted_texts, notes=found.wish.notes
    )


def _same_attribute(found: Understanding) -> Plan:
    items = found.referent.items or _best(found)
    named = attributes_named(found.reading.text[slice(*found.decision.cues[0])]) if found.decision.cues else ()
    named = tuple(name for name in named or (found.decision.detail,) if name)
    known = [
        Filter(name, "any_of", _values(items, name)) for name in named if name in found.facets and _values(items, name)
    ]
    unknown = [name for name in named if name not in {f.attribute for f in known}]
    wish = compare(found.wish, items, (), found.facets)
    filters = carry((*_gender_of(items, found.facets), *known), wish.filters)
    if re.search(r"\b(?:something (?:else|different)|on (?:another|a different|other)|different (?:kind|type|garment)|other (?:kinds?|types?|garments?)|but not)\b",
                 found.reading.text) and "category" not in wish.attributes:  # fmt: skip
        filters = (
            (*filters, Filter("category", "none_of", _values(items, "category")))
            if _values(items, "category")
            else filters
        )
    notes = tuple(
        f"the gallery does not say what {name} {_name(items)} has, so I went by its picture"
        for name in unknown
        if items
    )
    return Plan(Intent.SAME_ATTRIBUTE, text=" ".join(filter(None, (_words_of(known), wish.text))), reference_turn=_number(found.base),
                references=_ids(items), filters=filters, unwanted_texts=wish.unwanted_texts, attribute=named[0] if named else "",
                notes=(*found.referent.notes, *wish.notes, *notes))  # fmt: skip


def _ask(found: Understanding) -> Plan:
    items = found.referent.items
    about = found.wish.filters if re.search(r"\bhow many\b", found.reading.text) else ()
    return Plan(Intent.ASK, text=found.reading.text, reference_turn=_number(found.base), references=_ids(items), filters=about,
                attribute=found.decision.detail, notes=(*found.referent.notes, *found.reading.corrections,
                *((f"I cannot find {found.referent.missing}",) if found.referent.missing else ())))  # fmt: skip


def _other(found: Understanding) -> Plan:
    return Plan(Intent.OTHER, text=found.reading.text, references=found.item_ids, attribute=found.decision.detail)


def _missing_first(plan: Callable[[Understanding], Plan]) -> Callable[[Understanding], Plan]:
    """An item that is named and not there is asked back, not guessed."""

    def planned(found: Understanding) -> Plan:
        if found.referent.missing and not found.referent.items:
            raise MessageError(f"I cannot find {found.referent.missing}. Name one of those, or select a picture.")
        return plan(found)

    return planned


PLANS: Mapping[Intent, Callable[[Understanding], Plan]] = {
    Intent.SEARCH: _search,
    Intent.MODIFY: _missing_first(_modify),
    Intent.SAME_ITEM: _missing_first(_same_item),
    Intent.COMPATIBLE: _missing_first(_compatible),
    Intent.SAME_ATTRIBUTE: _missing_first(_same_attribute),
    Intent.ROLLBACK: _search,
    Intent.ASK: _missing_first(_ask),
    Intent.OTHER: _other,
}


# --- small questions about items -------------------------------------------------------------------------------------


def _number(turn: Turn | None) -> int | None:
    return turn.turn_number if turn else None


def _ids(items: Sequence[Item]) -> tuple[str, ...]:
    return tuple(item.item_id for item in items)


def _name(items: Sequence[Item]) -> str:
    return items[0].caption or items[0].item_id


def _values(items: Sequence[Item], attribute: str) -> tuple[str, ...]:
    found = (item.attributes.get(attribute) for item in items)
    return tuple(dict.fromkeys(value for value in found if isinstance(value, str)))


def _best(found: Understanding) -> tuple[Item, ...]:
    """With nothing named or selected, the item that the talk was about, else the best result."""
    if found.scene.selected:
        return (found.scene.selected,)
    return () if found.scene.has_upload else (found.scene.asked_about()[:1] or found.scene.shown()[:1])


def _kept_of(items: Sequence[Item], old: Sequence[Filter], facets: Mapping[str, Facet]) -> tuple[Filter, ...]:
    """The earlier filters, with the category and gender of the items that are meant."""
    categories = _values(items, "category") if "category" in facets else ()
    kept = carry(old, (Filter("category", "any_of", categories),)) if categories else tuple(old)
    if any(condition.attribute == "gender" for condition in kept):
        return kept
    return (*kept, *_gender_of(items, facets))


def _gender_of(items: Sequence[Item], facets: Mapping[str, Facet]) -> tuple[Filter, ...]:
    genders = _values(items, "gender")
    if not genders or "gender" not in facets or any(gender.lower() == "unisex" for gender in genders):
        return ()
    unisex = tuple(value for value in facets["gender"].counts if value.lower() == "unisex")
    return (Filter("gender", "any_of", tuple(dict.fromkeys((*genders, *unisex)))),)


def _own_kind(category: str, lexicon: Lexicon) -> tuple[str, ...]:
    """All categories of the same kind of garment; the category itself where its kind is not known."""
    group = group_of(category) if category else ""
    return (
        tuple(dict.fromkeys((category, *lexicon.group_values(group)))) if group else ((category,) if category else ())
    )


def _outside_own_kind(filters: Sequence[Filter], own: Sequence[str]) -> list[Filter]:
    """Nothing of the own kind is asked for: "goes with this dress" names the dress, not a wish."""
    kept: list[Filter] = []
    for condition in filters:
        if condition.attribute == "category" and condition.operator == "any_of":
            values = tuple(value for value in condition.values if value not in own)
            if values:
                kept.append(replace(condition, values=values))
        else:
            kept.append(condition)
    return kept


def _names_its_own_anchor(found: Understanding) -> bool:
    """ "what goes with a navy blazer" while something else is shown."""
    match = re.search(r"\b(?:with|match(?:es)?|for) (?:an?|my|some) ", found.reading.text)
    return (
        bool(match)
        and not found.scene.selected
        and any(m.span[0] >= match.end() for m in found.reading.mentions if match)
    )


def _gender_said_before(found: Understanding) -> Filter | None:
    for turn in reversed(found.scene.path):
        for condition in own_filters(turn):
            if condition.attribute == "gender" and condition.operator == "any_of":
                return condition
    return None


def _carried_unwanted(found: Understanding, base: Turn | None) -> tuple[str, ...]:
    old = base.plan.unwanted_texts if base else ()
    wanted = set(found.wish.text.split())
    return tuple(dict.fromkeys((*(text for text in old if text not in wanted), *found.wish.unwanted_texts)))


def _again(plan: Plan) -> Intent:
    """A refined search is a modification; outfits and shared attributes stay what they are."""
    return plan.action if plan.action in (Intent.COMPATIBLE, Intent.SAME_ATTRIBUTE, Intent.SAME_ITEM) else Intent.MODIFY


def _words_of(filters: Sequence[Filter]) -> str:
    order = ("pattern", "colour", "material", "category")
    values = [
        str(value).lower()
        for attribute in (*order, *(f.attribute for f in filters if f.attribute not in order))
        for condition in filters
        if condition.attribute == attribute and condition.operator == "any_of"
        for value in condition.values[:2]
    ]
    return " ".join(dict.fromkeys(values))


_ENGLISH = frozenset("""
about above across after again against almost alone along already also although always among amount anything around asked back because become
before behind being below best better between beyond both bring bright brand breathable bold budget buckle button buttons buttoned buttoned
came cannot cant care carry case cause cent change chic choose city class classic classy clean clear close closed closer clothes cloth clothing colourful come
comfortable comfort comfy cosy cozy could couple course cover cross curious cute cutout daily dark darker date dates day days deal deep delicate design
detail details didnt different difference dinner doesnt done dont double down draw drawstring dressed during each early easy edge edgy either elastic elegant else
embellished embroidered embroidery ends enough even event ever every everyone everything exact exactly example except expensive extra fabric face fact
family fancy fashion fashionable favourite feel feels feminine festival few fine finish first five flat flattering flowing flowy folks follow foot forget found four frayed
friend friends fringe frill frills from front fuller fully funny gather gathered gave gets gift girly give given glad glitter glittery glossy goes going gold
good gone grad graduation great groom ground group grow guest half happen hard have having head heavy hello hence here high higher hike hiking hold holes home hope hours house
huge idea inches inside instead interested into item items jog join just keep kept kind knee know lace laces lapel large later laid layer layered least leave left less letter level life light
lighter like likely line lined lining little live logo logos long longer look looked looking loose lose lots loud love lovely lower made main make making many mark masculine match matching matter
maybe mean means meet merry metal middle might mind minimal minimalist missing modern modest moment money monday month more morning most mother mountain move much must name near nearest neat need neutral never
nice night nine none normal nothing notice number occasion office often older once only open opposite order other others ours outdoor outdoors outfit outside over owner pack page pair parent part party past pastel patch
pattern pay people perfect perhaps person photo pick picture piece pieces pink place plain plan play please pleated pleats plunge pocket pockets point pointed pointy polite pool possible practical preppy present pretty previous price
print prints probably problem professional proper punk pure puff puffy push quality quarter question quick quiet quite rain rainy rather ready real really reason recent recommend refined relaxed remove rest result results retro return revealing
rich right ripped road rock romantic room rough round ruffle ruffled ruffles safe said sale same save saying school screen sea search season second section seem sell send sense sequin sequins sequined seven several sexy shade
shape shaped share sharp sheer shiny shine shop shopper should shoulder shoulders show showed shown side sides sight silver similar simple since single site size sleek slightly slim slit slow small smaller smart smooth soft
softer some someone something soon sophisticated sort special spend sporty spot standard start stay step still stock stone stop store stretch stretchy string strong studs stuff style styles stylish subtle such sunny super sure surprise
take taken talk tall teen teenager tell term text than thank thanks that their them then there these they thick thicker thin thing things think this those though thought three through tied time times tiny today together told
tomorrow tonight totally touch tough toward track trend trendy tried trim true trust turn twice type under understand unusual upon used useful usual vacation value variety versatile very vibe view vintage visit wait waist waistband
waisted walk walking wall want wants warm warmer washed water waterproof ways wear wearing weather week weekend went were what when where whether which while whole whose wide width will wish with within without
woman wonder work working world worn worth would write wrong yeah year years yellow young your yours zip zipper zipped heel heeled heels platform chunky ankle strap straps strappy backless bare belted bling bows bride bulky
beaded beads boho bohemian breezy cheap collar cuff cuffs cuter darkest digital distressed fade faded floaty frilly fuzzy gentle glam glamorous grown hemline hem hipster insane itchy jungle kitty lively lightweight loud lush matte
messy muted oversized patterned pockets polished punchy quirky rugged rustic scratchy sassy shimmer shimmery shorter simpler slogan slouchy snug sparkle sparkly spring star stars stiff streetwear sturdy summery tailored tight
tropical turned twist understated unique vivid wavy wild wispy wrinkle youthful zany animal animals anime band cartoon flag hearts heart lettering lines number palm picture skull squares triangle writing words
""".split())  # fmt: skip
"""Words that are not typing errors, besides those of the examples and the catalogue."""

__all__ = ["RulesPlanner", "items_of", "within"]
