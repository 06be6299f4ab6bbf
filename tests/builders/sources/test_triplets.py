import pytest

from builders.instances import Coverage
from builders.sources.triplets import joined, tidy


@pytest.mark.parametrize(
    ("caption", "text"),
    [
        ("Has a very  different pattern", "has a very different pattern"),
        (" tank top style with large ", "tank top style with large"),
        ("The shirt is black with red writing.", "the shirt is black with red writing"),
        ("A solid lighter color.", "a solid lighter color"),
        ("T shirt with Hello Kitty", "T shirt with Hello Kitty"),
        ("IS RED AND SHORT", "is red and short"),
        ("V-neck", "v-neck"),
        ("  ", ""),
        ("...", ""),
        ("", ""),
    ],
)
def test_a_caption_is_made_tidy(caption: str, text: str) -> None:
    assert tidy(caption) == text


def test_what_was_mended_in_captions_is_counted_once_each() -> None:
    coverage = Coverage()

    assert joined(["is red", "Is short ", "Long"], "here", coverage) == "is red and is short and long"
    assert coverage.tolerated == {"3 captions": 1, "stray blanks or marks": 1, "capitals": 1}
