"""Sessions as files: JSONL, a header and then one turn a line. Standard library only.

    {"format": "dimity-session", "version": 1, "session_id": "3f2a"}
    {"turn_number": 1, "parent": null, "message": {"text": "red dress"}, "plan": {"intent": "search"}, ...}

The form follows the records of `retrieval.schema` field by field; a field that has its default value is left out. A
picture is written as its id and its file's name, never with a folder. Reading is strict: an unknown key, a missing one
or a value of another type is an error that names the line and the place in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from retrieval.errors import MessageError
from retrieval.schema import Image, Message, Plan, Session, Turn

FORMAT = "dimity-session"
VERSION = 1
Record = TypeVar("Record", Turn, Plan, Message)
_ADVICE = "Export the conversation again, or mend the line."


class _MismatchError(Exception):
    """What is wrong with a value, and where in its record it stands."""


def session_to_jsonl(session: Session) -> str:
    """The whole tree of turns; ends with a line break."""
    header = {"format": FORMAT, "version": VERSION, "session_id": session.session_id}
    return "".join(f"{_line(record)}\n" for record in (header, *map(turn_to_dict, session.turns)))


def session_from_jsonl(text: str, pictures_dir: str | Path | None = None) -> Session:
    """Read what `session_to_jsonl` wrote; pictures are looked for in `pictures_dir` if given.

    Raises MessageError that names the first damaged line.
    """
    numbered = [(n, line) for n, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1) if line.strip()]
    if not numbered:
        raise MessageError("The session file is empty. Choose another file.")
    session = Session(_session_id(*numbered[0]))
    folder = Path(pictures_dir) if pictures_dir is not None else None
    for number, line in numbered[1:]:
        try:
            turn: Turn = _decoded(Turn, _parsed(number, line), "turn", folder)
            session = session.append(turn)
        except (_MismatchError, ValueError) as error:
            raise MessageError(f"Line {number} of the session file is damaged: {error!s:.200}. {_ADVICE}") from error
    return session


def turn_to_dict(turn: Turn) -> dict[str, Any]:
    return _fields_of(turn)


def turn_from_dict(values: Mapping[str, Any]) -> Turn:
    """Raises MessageError for anything that `turn_to_dict` would not have made."""
    return _from_dict(Turn, values)


def plan_to_dict(plan: Plan) -> dict[str, Any]:
    return _fields_of(plan)


def plan_from_dict(values: Mapping[str, Any]) -> Plan:
    """Raises MessageError for anything that `plan_to_dict` would not have made."""
    return _from_dict(Plan, values)


def message_to_dict(message: Message) -> dict[str, Any]:
    return _fields_of(message)


def message_from_dict(values: Mapping[str, Any]) -> Message:
    """Raises MessageError for anything that `message_to_dict` would not have made."""
    return _from_dict(Message, values)


def _from_dict(kind: type[Record], values: Mapping[str, Any]) -> Record:
    try:
        record: Record = _decoded(kind, values, kind.__name__.lower(), None)
    except _MismatchError as error:
        raise MessageError(f"The {kind.__name__.lower()} is damaged: {error}. {_ADVICE}") from error
    return record


def _line(record: Mapping[str, Any]) -> str:
    line = json.dumps(record, ensure_ascii=False, allow_nan=False)
    try:
        line.encode()
    except UnicodeEncodeError:  # half an emoji, as some keyboards send it, could not be written to a file
        line = json.dumps(record, allow_nan=False)
    return line


def _parsed(number: int, line: str) -> object:
    try:
        return json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise MessageError(f"Line {number} of the session file is not JSON. {_ADVICE}") from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _session_id(number: int, line: str) -> str:
    header = _parsed(number, line)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise MessageError(
            f'Line {number} is not the header of a session file ("format": "{FORMAT}"). Choose another file.'
        )
    if header.get("version") != VERSION:
        raise MessageError(
            f"The session file has version {header.get('version')!r:.40}, this program reads {VERSION}. "
            "Export the conversation again with this program."
        )
    session_id = header.get("session_id")
    if not isinstance(session_id, str) or not re.fullmatch(r"[\w-]{1,64}", session_id):  # it may become a folder's name
        raise MessageError(
            f"Line {number} of the session file gives no session_id of up to 64 letters, digits, - and _. {_ADVICE}"
        )
    return session_id


def _fields_of(record: Any) -> dict[str, Any]:
    if isinstance(record, Image):
        record = replace(record, path=_file_name(record.path))
    return {
        field.name: _encoded(value)
        for field in fields(record)
        if (value := getattr(record, field.name)) != _default(field)
    }


def _encoded(value: object) -> Any:
    if is_dataclass(value):
        return _fields_of(value)
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple):
        return [_encoded(part) for part in value]
    return value


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def _default(field: Field[Any]) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


@cache
def _types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _decoded(kind: Any, value: object, where: str, pictures: Path | None) -> Any:
    """A JSON value as the annotated type `kind`. Raises _MismatchError."""
    origin, options = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        return _decoded_union(options, value, where, pictures)
    if origin is Literal:
        return _checked(value in options, value, where, f"one of {', '.join(map(str, options))}")
    if origin is tuple:
        parts = _checked(isinstance(value, list), value, where, "a list")
        return tuple(_decoded(options[0], part, f"{where}[{n}]", pictures) for n, part in enumerate(parts))
    if is_dataclass(kind) and isinstance(kind, type):
        return _decoded_record(kind, value, where, pictures)
    return _decoded_plain(kind, value, where)


def _decoded_union(options: Sequence[Any], value: object, where: str, pictures: Path | None) -> Any:
    if value is None and NoneType in options:
        return None
    rest = [option for option in options if option is not NoneType]
    if len(rest) > 1:  # words or a number
        rest = [str] if isinstance(value, str) else [option for option in rest if option is not str]
    return _decoded(rest[0], value, where, pictures)


def _decoded_record(kind: Any, value: object, where: str, pictures: Path | None) -> Any:
    values = _checked(isinstance(value, Mapping), value, where, "an object")
    known = {field.name: field for field in fields(kind)}
    if unknown := sorted(map(str, values.keys() - known.keys())):
        raise _MismatchError(f"{where} has an unknown key {unknown[0]!r:.60}")
    for name, field in known.items():
        if name not in values and _default(field) is MISSING:
            raise _MismatchError(f"{where} lacks {name!r}")
    record = kind(**{name: _decoded(_types(kind)[name], values[name], f"{where}.{name}", pictures) for name in values})
    return _placed(record, where, pictures) if isinstance(record, Image) else record


def _placed(image: Image, where: str, pictures: Path | None) -> Image:
    """Only a bare file name is taken: a file from elsewhere must not choose what is opened here."""
    if image.path in {".", ".."} or "\0" in image.path or _file_name(image.path) != image.path:
        raise _MismatchError(f"{where}.path is {image.path!r:.80} instead of a file's name without folders")
    return replace(image, path=str(pictures / image.path)) if pictures else image


def _decoded_plain(kind: type, value: object, where: str) -> object:
    if issubclass(kind, StrEnum):
        words = [member.value for member in kind]
        return kind(_checked(value in words, value, where, f"one of {', '.join(words)}"))
    if kind is float:
        number = _checked(isinstance(value, int | float) and not isinstance(value, bool), value, where, "a number")
        try:
            return float(number)
        except OverflowError as error:
            raise _MismatchError(f"{where} is too large a number") from error
    fits = isinstance(value, kind) and not (kind is int and isinstance(value, bool))
    return _checked(fits, value, where, {str: "text", int: "a whole number"}.get(kind, kind.__name__))


def _checked(fits: bool, value: object, where: str, wanted: str) -> Any:
    if not fits:
        raise _MismatchError(f"{where} is {str(value)[:40]!r} instead of {wanted}")
    return value
