"""What a visitor does on the page, each as a view in and a view out. Knows no widget library and no chat of its own."""

from __future__ import annotations

import logging
import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from agent.housekeeping import THUMBNAILS
from agent.limits import Desk
from agent.presentation import Chip, chips
from retrieval.errors import ImageError, MessageError
from retrieval.picture_files import store_upload, thumbnail
from retrieval.retriever import DEFAULT_K
from retrieval.schema import Filter, Image, Intent, Item, Message, Plan, Session, Turn
from retrieval.sessions import session_to_jsonl

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from agent.assistant import Assistant
    from retrieval.retriever import Retriever

log = logging.getLogger(__name__)

THUMBNAIL_SIDE = 512
NO_PICTURE = Path(__file__).parent.parent / "assets" / "no_picture.png"


@dataclass(frozen=True, slots=True)
class View:
    """What one browser tab looks at: its session, the turn it stands on (None before the first) and the selection."""

    session: Session
    head: int | None = None
    selected: str | None = None

    @classmethod
    def new(cls) -> Self:
        return cls(Session(secrets.token_urlsafe(16)))

    @property
    def turn(self) -> Turn | None:
        return None if self.head is None else self.session.turn(self.head)

    @property
    def branch(self) -> tuple[Turn, ...]:
        return self.session.path(self.head)

    @property
    def searched(self) -> Turn | None:
        """The latest turn of the branch that shows items."""
        return next((turn for turn in reversed(self.branch) if turn.ranking is not None), None)

    @property
    def held_filters(self) -> tuple[Filter, ...]:
        """What is set by hand at this turn."""
        return self.turn.message.filters if self.turn else ()

    def found(self) -> tuple[str, ...] | None:
        """item_ids of the latest result on this branch, best first; None when nothing was searched yet."""
        turn = self.searched
        return tuple(hit.item_id for hit in turn.ranking.hits) if turn and turn.ranking else None

    def chips(self) -> tuple[Chip, ...]:
        """The parts of what is shown; a question in between leaves them."""
        return chips(self.searched.plan) if self.searched else ()

    def at(self, turn_number: int | None) -> Self:
        """At another turn, with nothing selected. Raises KeyError for a turn that the session does not have."""
        if turn_number is not None:
            self.session.turn(turn_number)
        return replace(self, head=turn_number, selected=None)

    def unselected(self) -> Self:
        return replace(self, selected=None)

    def undone(self) -> Self:
        """One step back. Before the first step lies a new session: a turn without a parent follows the latest one."""
        return self.new() if self.turn is None or self.turn.parent is None else self.at(self.turn.parent)


@dataclass(frozen=True, slots=True)
class Shop:
    """What all visitors share; nothing in it changes but the files in `folder`."""

    assistant: Assistant
    retriever: Retriever
    folder: Path
    """Of this process: uploads, thumbnails and exports. The only place that files are served from."""
    window: tuple[str, ...] = ()
    """item_ids shown before the first search."""
    desk: Desk = field(default_factory=Desk)
    """Takes in what many visitors do at once; who is alone may pass by it."""

    @classmethod
    def open(cls, assistant: Assistant, retriever: Retriever, folder: Path) -> Self:
        """A shop with a mixed window, the same at each start."""
        item_ids = sorted(retriever.store.fingerprints())
        return cls(
            assistant, retriever, folder, tuple(random.Random(0).sample(item_ids, min(DEFAULT_K, len(item_ids))))
        )

    # --- what is there ---

    def picture(self, item: Item) -> str:
        """The path of a small copy: the catalogue's own folders are never served."""
        try:
            return str(thumbnail(item.image, self.folder / THUMBNAILS, THUMBNAIL_SIDE))
        except ImageError as error:
            log.warning("item %s is shown without its picture: %s", item.item_id, error)
            return str(NO_PICTURE)

    def item(self, item_id: str) -> Item | None:
        """None for one that has left the gallery since it was shown."""
        return next(iter(self._there([item_id])), None)

    def items(self, view: View) -> list[Item]:
        """What the gallery of this view shows, as far as it is still there."""
        found = view.found()
        return self._there(self.window if found is None else found[:DEFAULT_K])

    def _there(self, item_ids: Sequence[str]) -> list[Item]:
        try:
            return self.retriever.get(item_ids) if item_ids else []
        except KeyError:
            return [] if len(item_ids) == 1 else [item for item_id in item_ids for item in self._there([item_id])]

    def n_fitting(self, view: View) -> int:
        """How many items pass the filters of what is shown. A search without any has only its nearest."""
        turn = view.searched
        if turn is not None and not turn.plan.filters:
            return len(view.found() or ())
        return self.retriever.count(turn.plan.filters if turn else ())

    def picture_to_crop(self, view: View) -> Image:
        """The selected item's picture, else the latest upload of this branch. Raises MessageError without either."""
        if view.selected is not None and (item := self.item(view.selected)):
            return item.image
        uploads = [image for turn in view.branch for image in turn.message.images]
        if not uploads:
            raise MessageError("Send a photo or click on an item first; then you can cut out a part of it here.")
        return uploads[-1]

    def export(self, session: Session) -> str | None:
        """The path of the session as JSONL; None while nothing was said."""
        if not session.turns:
            return None
        path = self.folder / "exports" / session.session_id / f"dimity-{len(session.turns)}-turns.jsonl"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(session_to_jsonl(session), encoding="utf-8")
        return str(path)

    # --- what a visitor does ---

    def send(self, view: View, text: str, files: Sequence[str] = (), filters: tuple[Filter, ...] = ()) -> View:
        """Raises ImageError for a file that is not a picture, MessageError for a message with nothing in it."""
        images = tuple(store_upload(path, self.folder / "uploads") for path in files)
        if not (text.strip() or images or view.selected or filters):
            raise MessageError("Type what you are looking for, add a photo, or click on an item first.")
        return self._answer(view, Message(text.strip(), images, view.selected, filters))

    def remove_chip(self, view: View, number: int) -> View:
        """`number` counts `view.chips()`."""
        chips_shown = view.chips()
        if number >= len(chips_shown):  # a second click, or an old page
            return view
        chip = chips_shown[number]
        return self._run(view, f"Without: {chip.label}", chip.plan_without_it)

    def take_offer(self, view: View, number: int) -> View:
        offers = view.turn.reply.offers if view.turn else ()
        if number >= len(offers):
            return view
        offer = offers[number]
        return self._run(view, offer.label, offer.plan)

    def apply_filters(self, view: View, filters: tuple[Filter, ...]) -> View:
        """The same wish under the filters of the panel; none clears them."""
        return self._answer(view, Message(filters=filters)) if filters else self.clear_filters(view)

    def clear_filters(self, view: View) -> View:
        """Runs the latest search again without what was set by hand, if anything was."""
        turn = view.searched
        if turn is None or not view.held_filters:
            return view
        left = tuple(condition for condition in turn.plan.filters if condition not in view.held_filters)
        intent = turn.plan.action
        if intent is Intent.ROLLBACK:  # only showed an earlier result again
            intent = Intent.MODIFY if turn.plan.references else Intent.SEARCH
        return self._run(view, "Clear filters", replace(turn.plan, intent=intent, then=None, filters=left, notes=()))

    def select(self, view: View, position: int) -> View:
        """Picking the selected item again lets go of it. Raises MessageError for a place that shows nothing."""
        items = self.items(view)
        if not 0 <= position < len(items):
            raise MessageError("That picture is no longer shown here. Choose one of those on the page.")
        item_id = items[position].item_id
        return replace(view, selected=None if item_id == view.selected else item_id)

    def retry(self, view: View) -> View:
        """The same message again, beside the turn that it made before."""
        if view.turn is None:
            return view
        return self._answer(replace(view, head=view.turn.parent), view.turn.message)

    def keep_drawing(self, canvas: Picture | None) -> str:
        """The path of the drawing or crop, kept as an upload. Raises MessageError for an empty canvas."""
        if canvas is None or canvas.getchannel("A").getextrema()[1] == 0:
            raise MessageError("Draw something first, or load a photo and cut out the part that matters.")
        return store_upload(canvas, self.folder / "uploads").path

    def _run(self, view: View, words: str, plan: Plan) -> View:
        """A plan edited by hand; of the filters in the panel those stay that the plan still has.

        It is a search of its own, without a turn that it builds on: otherwise a plan that was run before would be read
        as "show me more" and leave out what it found then.
        """
        held = tuple(condition for condition in view.held_filters if condition in plan.filters)
        return self._answer(view, Message(words, filters=held, plan=replace(plan, reference_turn=None)))

    def _answer(self, view: View, message: Message) -> View:
        # A message without a parent would follow the session's latest turn: before the first step is a new session.
        session = view.session if view.head is not None else View.new().session
        turn = self.assistant.respond(session, replace(message, parent=view.head))
        return View(session.append(turn), turn.turn_number)
