from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image as Pillow

from agent.opening import open_shop
from benchmarks.memory import main, play, resident_mb


def test_turns_are_played_in_tenths_and_memory_is_read(tmp_path: Path) -> None:
    rows = ["id,image,name,category,colour,price"]
    for number, colour in enumerate(("red", "blue", "black", "green")):
        Pillow.new("RGB", (60, 80 + number), colour).save(tmp_path / f"{number}.jpg")
        rows.append(f"{number},{number}.jpg,{colour.title()} Dress,Dress,{colour.title()},{20 + number}")
    (tmp_path / "items.csv").write_text("\n".join(rows), encoding="utf-8")
    shop = open_shop(tmp_path / "served", str(tmp_path / "items.csv"), tmp_path / "index", "late-fusion")

    seen = list(play(shop, 20, tmp_path))

    assert [done for done, _ in seen] == list(range(2, 21, 2))
    assert all(0.2 * resident_mb() < megabytes < 5 * resident_mb() for _, megabytes in seen)


def test_too_few_turns_are_refused() -> None:
    with pytest.raises(SystemExit):
        main(["--turns", "3"])
