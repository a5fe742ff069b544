"""Training runs and what it writes is what the reader loads. Skipped without the `train` extra."""

from __future__ import annotations

import numpy as np
import pytest

from vision.network import Network
from vision.opinion import LENGTH, SIDE

torch = pytest.importorskip("torch", reason="training needs the `train` extra (torch)")
pytest.importorskip("onnx", reason="training needs the `train` extra (onnx)")

from fixtures.studio.net_export import export  # noqa: E402
from fixtures.studio.opinion_net import make_net  # noqa: E402
from fixtures.studio.train_opinion import main  # noqa: E402


def known(model):
    return Network(model, (1, SIDE, SIDE), LENGTH)


def test_a_tiny_training_writes_a_network_that_loads(tmp_path):
    out = tmp_path / "tiny.onnx"
    sizes = {"sets": 2, "views": 5, "steps": 2, "batch": 2, "held": 1}
    given = [word for name, size in sizes.items() for word in (f"--{name}", str(size))]
    assert main([*given, "--out", str(out), "--cache", str(tmp_path)]) == 0
    assert known(out).seen(np.zeros((2, 1, SIDE, SIDE), np.float32)).shape == (2, LENGTH)
    assert np.load(tmp_path / "train.npy").shape == (2, 6, 5, SIDE, SIDE, 3)


def test_the_exported_network_answers_as_the_trained_one(tmp_path):
    torch.manual_seed(0)
    net = make_net()
    pictures = torch.randn(8, 1, SIDE, SIDE)
    for _ in range(5):
        net(pictures * 1.7 + 0.3)  # so that the normalisation has something to fold
    export(net.eval(), tmp_path / "net.onnx", "opinion", (1, SIDE, SIDE))
    with torch.no_grad():
        trained = torch.nn.functional.normalize(net(pictures), dim=1).numpy()
    seen = known(tmp_path / "net.onnx").seen(pictures.numpy())
    read = seen / np.linalg.norm(seen, axis=1, keepdims=True)
    assert np.abs(read - trained).max() < 1e-4
