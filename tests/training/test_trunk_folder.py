import numpy as np
import onnx
import pytest

from retrieval.encoders.embedded import DEFAULT_FOLDER
from retrieval.errors import TrainingError
from retrieval.fashion_am.towers import TRUNK_BLOCKS, PictureTower
from retrieval.fashion_am.trunk_folder import folder_of, key_of, stored_weights


def weights_of(tower) -> dict[str, np.ndarray]:
    return {name: value.numpy().copy() for name, value in tower.state_dict().items()}


def write_weights(file, tower) -> None:
    """An ONNX file of a tower's weights, under the names of an export, and of nothing else."""
    file.parent.mkdir(exist_ok=True)
    stored = [onnx.numpy_helper.from_array(value, f"tower.{name}") for name, value in weights_of(tower).items()]
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([], "trunk", [], [], stored)), str(file))


@pytest.mark.parametrize("name", ["stem.weight", f"blocks.{TRUNK_BLOCKS - 1}.project.weight"])
def test_a_trunk_is_known_by_all_its_weights_in_the_precision_of_an_export(name):
    weights = weights_of(PictureTower(8))
    exported = {name: value.astype(np.float16).astype(np.float32) for name, value in weights.items()}
    assert key_of(exported) == key_of(weights)
    assert key_of({**weights, name: weights[name] + 0.1}) != key_of(weights)


def test_what_lies_behind_the_trunk_and_the_sign_of_nothing_do_not_count():
    weights = weights_of(PictureTower(8))
    weights["stem.bias"] *= 0
    behind = f"blocks.{TRUNK_BLOCKS}.project.weight"
    assert key_of({**weights, behind: weights[behind] + 0.1, "stem.bias": -weights["stem.bias"]}) == key_of(weights)


def test_caches_without_a_folder_for_their_trunk_serve_it_and_no_other(tmp_path, caplog):
    tower, other = PictureTower(8), PictureTower(8)
    own = tmp_path / f"trunk-{key_of(weights_of(tower))}"
    write_weights(own / "trunk.onnx", tower)
    write_weights(tmp_path / "trunk.onnx", tower)
    assert folder_of(tmp_path, tower) == tmp_path
    write_weights(tmp_path / "trunk.onnx", other)
    with caplog.at_level("INFO", "retrieval"):
        assert folder_of(tmp_path, tower) == own
    assert "is of another tower" in caplog.text


def test_weights_come_back_under_the_names_of_a_tower(tmp_path):
    tower = PictureTower(8)
    write_weights(tmp_path / "trunk.onnx", tower)
    stored = stored_weights(tmp_path / "trunk.onnx", ["stem.weight", "elsewhere"])
    assert stored.keys() == {"stem.weight"}
    np.testing.assert_array_equal(stored["stem.weight"], tower.stem.weight.detach())


def test_a_trunk_that_was_cut_is_said_to_be(tmp_path):
    (tmp_path / "trunk.onnx").write_bytes((DEFAULT_FOLDER / "picture.onnx").read_bytes()[:99_999])
    with pytest.raises(TrainingError, match="cut or damaged"):
        folder_of(tmp_path, PictureTower(8))
