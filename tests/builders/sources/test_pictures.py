from builders.sources.pictures import by_stem, by_tail


def test_the_end_of_a_path_finds_it_below_any_upper_folder() -> None:
    found = by_tail({"deep/er/img/a/1.jpg", "img/b/2.jpg", "3.jpg"}, depth=3)

    assert found == {"img/a/1.jpg": "deep/er/img/a/1.jpg", "img/b/2.jpg": "img/b/2.jpg", "3.jpg": "3.jpg"}


def test_of_several_paths_with_one_name_the_first_in_order_is_taken() -> None:
    assert by_stem({"b/X.jpg", "a/X.png", "c/X.jpg"}) == {"X": "a/X.png"}
    assert by_tail({"b/X.jpg", "a/X.jpg"}, depth=1) == {"X.jpg": "a/X.jpg"}
