import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from retrieval.errors import DependencyError, TrainingError
from retrieval.fashion_am import loop
from retrieval.fashion_am.loop import Schedule, rate_factor

ROOT = Path(__file__).parents[2]
SCHEDULE = Schedule(epochs=3, warmup=2, average=0.5, save_every=2)
N_BATCHES = 5


def tiny() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.Linear(8, 1))


def batches(epoch: int) -> Iterator[torch.Tensor]:
    generator = torch.Generator().manual_seed(epoch)
    for _ in range(N_BATCHES):
        yield torch.randn(6, 4, generator=generator)


def trained(
    out: Path, schedule: Schedule = SCHEDULE, at_step=lambda _, loss: loss, settings=None, rate=1e-2, **options
) -> nn.Module:
    """at_step: called with the number of the step in this call and its loss, before the loss is carried back."""
    module = tiny()
    n_done = 0

    def backward(rows: torch.Tensor) -> float:
        nonlocal n_done
        loss = at_step(n_done, (module(rows) - rows.sum(1, keepdim=True)).square().mean())
        n_done += 1
        loss.backward()
        return float(loss.item())

    groups = [{"params": list(module.parameters()), "lr": rate, "weight_decay": 0.0}]
    return loop.run(module, groups, batches, N_BATCHES, backward, schedule, out, settings or {}, **options)


def notes(out: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]


def end_at(last: int):
    def at_step(step: int, loss: torch.Tensor) -> torch.Tensor:
        if step == last:
            raise KeyboardInterrupt
        return loss

    return at_step


def same(one: nn.Module, other: nn.Module) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_the_running_average_is_what_comes_back(tmp_path):
    averaged = trained(tmp_path / "a")
    assert not averaged.training
    kept = torch.load(tmp_path / "a" / "checkpoint.pt", weights_only=True)
    assert torch.equal(averaged[0].weight, kept["averaged"]["module.0.weight"])
    plain = trained(tmp_path / "b", replace(SCHEDULE, average=0.0))
    assert torch.equal(plain[0].weight, kept["module"]["0.weight"])


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 6, 10, 14])
def test_a_run_that_ends_at_any_step_goes_on_to_the_same_weights_and_notes(tmp_path, steps):
    whole = trained(tmp_path / "whole", validate=lambda module: {"weight": module[0].weight.sum().item()})
    validate = {"validate": lambda module: {"weight": module[0].weight.sum().item()}}
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "cut", at_step=end_at(steps), **validate)
    assert same(trained(tmp_path / "cut", **validate), whole)
    assert notes(tmp_path / "cut") == notes(tmp_path / "whole")
    assert [note["step"] for note in notes(tmp_path / "cut")] == [2, 4, 5, 6, 8, 10, 12, 14, 15]


def test_a_run_that_is_done_is_not_trained_again(tmp_path):
    whole = trained(tmp_path)
    assert same(trained(tmp_path, at_step=end_at(0)), whole)


KILLED = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import torch
from test_loop import trained
torch.set_num_threads(1)
def slowly(step, loss):
    time.sleep(0.05)
    return loss
trained(Path(sys.argv[1]), at_step=slowly)
"""


def test_a_run_killed_without_warning_goes_on_to_the_same_weights(tmp_path):
    whole = trained(tmp_path / "whole")
    command = [sys.executable, "-c", KILLED, str(tmp_path / "cut"), str(Path(__file__).parent)]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (tmp_path / "cut" / "checkpoint.pt").exists() and time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()[1].decode()
        time.sleep(0.01)
    time.sleep(0.22)  # on to some step that nobody chose
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it was done before it was killed"
    process.communicate()
    resumed_at = torch.load(tmp_path / "cut" / "checkpoint.pt", weights_only=True)["step"]
    assert 0 < resumed_at < 15
    assert same(trained(tmp_path / "cut"), whole)
    assert notes(tmp_path / "cut") == notes(tmp_path / "whole")


def test_batches_that_draw_when_they_are_opened_do_not_disturb_what_a_resumed_run_draws(tmp_path, monkeypatch):
    def drawing(epoch: int) -> Iterator[torch.Tensor]:
        torch.rand(3)  # as torch's DataLoader does
        generator = torch.Generator().manual_seed(epoch)
        for _ in range(N_BATCHES):
            yield torch.randn(6, 4, generator=generator)

    monkeypatch.setitem(globals(), "batches", drawing)
    whole = trained(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "cut", at_step=end_at(8))
    assert same(trained(tmp_path / "cut"), whole)


@pytest.mark.parametrize("factor", [float("nan"), float("inf")])
def test_a_loss_that_is_not_finite_stops_and_leaves_the_last_good_checkpoint(tmp_path, factor):
    with pytest.raises(TrainingError, match=r"loss is (nan|inf) at step 7; .*lower learning rates"):
        trained(tmp_path, at_step=lambda step, loss: loss * factor if step == 7 else loss)
    kept = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    assert kept["step"] == 6
    assert all(torch.isfinite(weight).all() for weight in kept["module"].values())


def test_a_gradient_that_overflows_never_reaches_the_weights(tmp_path):
    def overflowing(step: int, loss: torch.Tensor) -> torch.Tensor:
        if step == 3:
            loss.register_hook(lambda gradient: gradient * float("inf"))
        return loss

    with pytest.raises(TrainingError, match=r"gradient is (nan|inf) at step 3"):
        trained(tmp_path, replace(SCHEDULE, save_every=1), at_step=overflowing)
    assert torch.load(tmp_path / "checkpoint.pt", weights_only=True)["step"] == 3


def test_gradients_are_clipped(tmp_path):
    def watching(module_out: Path, clip: float) -> float:
        trained(module_out, replace(SCHEDULE, epochs=1, save_every=1, clip=clip))
        return float(
            torch.load(module_out / "checkpoint.pt", weights_only=True)["optimiser"]["state"][0]["exp_avg_sq"].max()
        )

    seen = [watching(tmp_path / str(clip), clip) for clip in (1.0, 1e-3)]
    assert seen[1] < 1e-6 < seen[0]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_checkpoint_that_is_cut_is_refused(tmp_path, share):
    trained(tmp_path)
    whole = (tmp_path / "checkpoint.pt").read_bytes()
    (tmp_path / "checkpoint.pt").write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(TrainingError, match=r"checkpoint\.pt is cut or damaged: delete it"):
        trained(tmp_path)


def test_a_half_written_checkpoint_beside_the_whole_one_does_no_harm(tmp_path):
    whole = trained(tmp_path)
    (tmp_path / "checkpoint.pt.tmp").write_bytes(b"PK")
    assert same(trained(tmp_path), whole)


def test_a_checkpoint_of_other_settings_is_refused_by_name(tmp_path):
    trained(tmp_path, settings={"batch": 6, "rates": (1e-2, 1e-3), "data": Path("x")})
    trained(tmp_path, settings={"batch": 6, "rates": (1e-2, 1e-3), "data": Path("x")})
    with pytest.raises(TrainingError, match=r"other settings \(batch, data\)"):
        trained(tmp_path, settings={"batch": 7, "rates": (1e-2, 1e-3)})


def test_a_checkpoint_of_another_program_is_refused(tmp_path):
    torch.save({"towers": {}}, tmp_path / "checkpoint.pt")
    with pytest.raises(TrainingError, match="another version"):
        trained(tmp_path)


def test_less_data_than_a_batch_is_refused(tmp_path):
    with pytest.raises(TrainingError, match="lower --batch"):
        loop.run(tiny(), [], batches, 0, lambda _: 0.0, SCHEDULE, tmp_path, {})


def test_notes_after_the_checkpoint_and_a_cut_line_are_dropped(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path, at_step=end_at(5))
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 6, "loss": 1.0}\n{"step": 8, "lo')
    trained(tmp_path)
    assert [note["step"] for note in notes(tmp_path)] == [2, 4, 5, 6, 8, 10, 12, 14, 15]


def test_the_rate_warms_up_and_falls_to_nothing():
    factors = [rate_factor(step, 4, 20) for step in range(21)]
    assert factors[:4] == [0.25, 0.5, 0.75, 1.0]
    assert factors[4:] == sorted(factors[4:], reverse=True)
    assert factors[-1] == pytest.approx(0.0)


def test_tensorboard_shows_the_notes(tmp_path):
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    trained(tmp_path, tensorboard=True)
    read = events.EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    shown = {scalar.step: scalar.value for scalar in read.Scalars("loss")}
    assert shown == pytest.approx({note["step"]: note["loss"] for note in notes(tmp_path)})


def test_missing_tensorboard_is_said_before_the_first_step(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(DependencyError, match=r"requirements-train\.txt"):
        trained(tmp_path, tensorboard=True, at_step=end_at(0))


def test_matrices_decay_and_vectors_do_not():
    module = tiny()
    matrices, vectors = loop.groups_of(module.parameters(), 0.1, 0.05)
    assert [each.shape for each in matrices["params"]] == [module[0].weight.shape, module[2].weight.shape]
    assert [each.shape for each in vectors["params"]] == [module[0].bias.shape, module[2].bias.shape]
    assert [(each["lr"], each["weight_decay"]) for each in (matrices, vectors)] == [(0.1, 0.05), (0.1, 0.0)]
