"""Training runs and what it writes is what the reader loads. Skipped without the `train` extra."""

from __future__ import annotations

import numpy as np
import pytest

from vision.leaning_view import CHANNELS, SIDE
from vision.network import Network

torch = pytest.importorskip("torch", reason="training needs the `train` extra (torch)")
pytest.importorskip("onnx", reason="training needs the `train` extra (onnx)")

from fixtures.studio.leaning_views import Views  # noqa: E402
from fixtures.studio.net_export import blend, export, resume  # noqa: E402
from fixtures.studio.train_leaning import (  # noqa: E402
    HELD,
    LEARN,
    altered,
    area_under_curve,
    fitted,
    main,
    make_net,
)

SHAPE = (CHANNELS, SIDE, SIDE)


def some_views(seed, count=12):
    rng = np.random.default_rng(seed)
    pictures = rng.normal(size=(count, *SHAPE)).astype(np.float16)
    die = np.arange(count) // 2
    leaning = die % 2 == 0
    return Views(
        pictures, rng.random((count, 6)), leaning, leaning & (np.arange(count) % 2 > 0), die
    )


def test_of_each_die_counts_what_is_told_most_of_it():
    views = some_views(0, 6)  # three dice, two views each, the first and the last lean
    most, leaning = views.dice(np.array([1.0, 2.0, -3.0, -4.0, 0.5, 0.0]))
    assert most.tolist() == [2.0, -3.0, 0.5]
    assert leaning.tolist() == [True, False, True]
    assert views.plain.tolist() == [False, True, True, True, False, True]


def test_views_of_two_stations_are_of_different_dice(tmp_path):
    one, other = some_views(0, 4), some_views(1, 6)
    other.save(tmp_path / "other.npz")
    both = Views.together([one, Views.load(tmp_path / "other.npz")])
    assert both.die.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert np.array_equal(both.so, [*one.so, *other.so])


def test_a_tiny_training_writes_a_network_that_loads(tmp_path, capsys):
    for lot in (*LEARN, *HELD):
        seed = lot.seeds[0]
        some_views(seed).save(tmp_path / f"{lot.station(seed).name}.npz")
    sizes = {"stations": 1, "held": 1, "epochs": 1, "batch": 6, "jobs": 1}
    given = [word for name, size in sizes.items() for word in (f"--{name}", str(size))]
    out = tmp_path / "tiny.onnx"
    assert main([*given, "--out", str(out), "--cache", str(tmp_path)]) == 0
    assert Network(out, SHAPE, 1).seen(np.zeros((2, *SHAPE), np.float32)).shape == (2, 1)
    assert "area under the curve" in capsys.readouterr().out


def test_the_exported_network_answers_as_the_trained_one(tmp_path):
    torch.manual_seed(0)
    net = make_net()
    pictures = torch.randn(8, *SHAPE)
    for _ in range(5):
        net(pictures * 1.7 + 0.3)  # so that the normalisation has something to fold
    export(net.eval(), tmp_path / "net.onnx", "leaning", SHAPE)
    with torch.no_grad():
        trained = net(pictures).numpy()
    read = Network(tmp_path / "net.onnx", SHAPE, 1).seen(pictures.numpy())
    assert np.abs(read - trained).max() < 1e-4


def test_a_training_goes_on_from_what_was_exported(tmp_path):
    torch.manual_seed(0)
    net = make_net()
    pictures = torch.randn(16, *SHAPE)
    for _ in range(5):
        net(pictures * 1.7 + 0.3)
    export(net.eval(), tmp_path / "net.onnx", "leaning", SHAPE)
    again = make_net()
    resume(again, tmp_path / "net.onnx", pictures)
    without_dropout = [layer for layer in again if not isinstance(layer, torch.nn.Dropout)]
    with torch.no_grad():
        trained = net(pictures)
        training = torch.nn.Sequential(*without_dropout).train()(pictures)
        told = again.eval()(pictures)
    assert torch.allclose(training, trained, atol=1e-3)
    assert torch.allclose(told, trained, atol=1e-3)


def test_what_lies_between_two_networks_is_one(tmp_path):
    paths, nets = [tmp_path / "older.onnx", tmp_path / "newer.onnx"], []
    for seed, path in enumerate(paths):
        torch.manual_seed(seed)
        nets.append(make_net().eval())
        export(nets[-1], path, "leaning", SHAPE)
    older, newer = (torch.nn.utils.parameters_to_vector(net[-1].parameters()) for net in nets)
    blend(*paths, 0.25)
    between = make_net()
    resume(between, paths[1], torch.randn(4, *SHAPE))
    found = torch.nn.utils.parameters_to_vector(between[-1].parameters())
    assert torch.allclose(found, 0.25 * older + 0.75 * newer, atol=1e-6)
    assert Network(paths[1], SHAPE, 1).seen(np.zeros((1, *SHAPE), np.float32)).shape == (1, 1)


def test_weights_can_only_be_kept_of_a_network_that_is_named(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--keep", "0.5"])
    assert stopped.value.code == 2
    assert "--keep needs --resume" in capsys.readouterr().err


def test_altered_views_keep_what_they_are():
    views = torch.from_numpy(some_views(1).pictures).float()
    changed = altered(views, torch.Generator().manual_seed(1))
    assert changed.shape == views.shape
    assert torch.isfinite(changed).all()
    assert not torch.equal(changed, views)


def test_an_area_under_the_curve_is_the_chance_to_rank_two_right():
    leaning = np.array([False, False, True, True])
    assert area_under_curve(np.array([0.0, 1.0, 2.0, 3.0]), leaning) == 1.0
    assert area_under_curve(np.array([0.0, 2.0, 1.0, 3.0]), leaning) == 0.75
    assert area_under_curve(np.array([3.0, 2.0, 1.0, 0.0]), leaning) == 0.0


def test_a_fit_finds_the_weights_that_made_the_data():
    rng = np.random.default_rng(5)
    rows = np.column_stack([rng.normal(size=(20_000, 2)), np.ones(20_000)])
    meant = np.array([2.0, -1.0, 0.5])
    leaning = rng.random(20_000) < 1 / (1 + np.exp(-rows @ meant))
    assert fitted(rows, leaning) == pytest.approx(meant, abs=0.1)
