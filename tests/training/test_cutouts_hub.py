"""The hub's cutters around a tiny module of the same form; the models themselves need a hub."""

import os

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw

from retrieval.errors import DependencyError, EncoderError
from retrieval.fashion_am.cutouts.__main__ import main
from retrieval.fashion_am.cutouts.hub import HubCutter

REVISION = "0123456789" * 4


class RedFinder(torch.nn.Module):
    """Logits that are high where red is, after undoing the preprocessing that the real models are trained with."""

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        assert x.shape == (1, 3, 1024, 1024)
        mean, std = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
        rgb = x * std[:, None, None] + mean[:, None, None]
        assert rgb.min() > -1e-3
        assert rgb.max() < 1 + 1e-3
        finest = 40 * (rgb[:, :1] - rgb[:, 1:2] - 0.5)
        return [torch.zeros(1, 1, 32, 32), finest]


def test_the_mask_is_the_finest_map_at_the_picture_s_size():
    picture = Image.new("RGB", (200, 100), "green")
    ImageDraw.Draw(picture).rectangle((50, 20, 149, 79), fill="red")
    mask = HubCutter(RedFinder(), "red").cut(picture)
    assert (mask.mode, mask.size) == ("L", (200, 100))
    values = np.asarray(mask)
    assert values[25:75, 55:145].min() > 250
    assert values[:15].max() < 5


@pytest.mark.parametrize(("revision", "trusted"), [(REVISION, False), ("main", True), ("", True)])
def test_code_of_a_repository_runs_only_when_allowed_and_pinned(revision: str, trusted: bool):
    with pytest.raises(DependencyError, match="--trust-remote-code --revision COMMIT"):
        HubCutter.open("birefnet", revision, trusted)


@pytest.mark.parametrize("cutter", ["rmbg", "birefnet"])
def test_without_a_hub_the_error_names_another_way(cutter: str, tmp_path, monkeypatch, capsys):
    import huggingface_hub.constants

    monkeypatch.setitem(os.environ, "HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with pytest.raises(EncoderError, match="--cutter isnet"):
        HubCutter.open(cutter, REVISION, True)
    Image.new("RGB", (20, 20)).save(tmp_path / "one.png")
    arguments = ["cut", "--cutter", cutter, "--pictures", str(tmp_path), "--out", str(tmp_path / "masks")]
    assert main([*arguments, "--trust-remote-code", "--revision", REVISION]) == 2
    assert capsys.readouterr().err.startswith("error: ")
