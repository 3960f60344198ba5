"""PWC-Net: published names, its parts, ONNX at any size, and that it learns."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from haustra.core.errors import HaustraError
from haustra.flow import endpoint_error, open_flow
from haustra.lab.training.flow.network import PwcNet, cost_volume, warp_by_flow
from haustra.lab.training.flow.published_weights import convert_flow_file
from haustra.lab.training.flow.trainer import flow_loss, true_flow
from haustra.lab.training.motion.pair_batch import make_batch
from haustra.lab.training.motion.pairs import PairSet
from haustra.lab.training.onnx_export import export_onnx

# Shapes in the published file, from the layer definitions of the paper's network (Sun 2018, PyTorch release).
PUBLISHED = {
    "conv1a.0.weight": (16, 3, 3, 3),
    "conv1aa.0.weight": (16, 16, 3, 3),
    "conv6aa.0.weight": (196, 128, 3, 3),
    "conv6a.0.weight": (196, 196, 3, 3),
    "conv6b.0.bias": (196,),
    "conv6_0.0.weight": (128, 81, 3, 3),
    "predict_flow6.weight": (2, 529, 3, 3),
    "deconv6.weight": (2, 2, 4, 4),
    "upfeat6.weight": (529, 2, 4, 4),
    "conv5_0.0.weight": (128, 213, 3, 3),
    "conv2_4.0.weight": (32, 533, 3, 3),
    "predict_flow2.bias": (2,),
    "deconv2.weight": (2, 2, 4, 4),
    "dc_conv1.0.weight": (128, 565, 3, 3),
    "dc_conv5.0.weight": (64, 96, 3, 3),
    "dc_conv7.weight": (2, 32, 3, 3),
}


def test_published_names_and_shapes_load() -> None:
    net = PwcNet()
    state = net.state_dict()
    for name, shape in PUBLISHED.items():
        assert tuple(state[name].shape) == shape, name
    assert (
        sum(p.numel() for p in net.parameters()) == 9_374_340
    )  # 9.37 million, with the unused deconv2 of the published file
    assert "upfeat2.weight" not in state
    other = {f"module.{name}": torch.full_like(value, 0.5) for name, value in state.items()}
    net.load_published(other)
    assert float(net.state_dict()["dc_conv7.weight"].mean()) == 0.5


def test_cost_volume_finds_the_displacement() -> None:
    torch.manual_seed(0)
    a = torch.randn(1, 32, 20, 20)
    b = a.roll((2, -3), dims=(2, 3))  # down by 2, left by 3
    best = cost_volume(a, b)[0, :, 6:-6, 6:-6].mean(dim=(1, 2)).argmax()
    assert divmod(int(best), 9) == (2 + 4, -3 + 4)


def test_warp_takes_b_back_to_a() -> None:
    torch.manual_seed(0)
    a = torch.randn(1, 2, 16, 16)
    b = a.roll(3, dims=3)
    flow = torch.zeros(1, 2, 16, 16)
    flow[:, 0] = 3
    back = warp_by_flow(b, flow)
    assert torch.allclose(back[..., :13], a[..., :13], atol=1e-5)
    assert not back[..., 13:].any()


@pytest.mark.parametrize("normalised", [False, True])
def test_onnx_equals_torch_at_other_sizes(tmp_path: Path, normalised: bool) -> None:
    torch.manual_seed(0)
    net = PwcNet(0.125, normalised=normalised)
    picture = torch.rand(1, 3, 128, 128)
    export_onnx(
        net, [picture, picture.roll(2, 3)], tmp_path / "pwcnet.onnx",
        inputs=["image_a", "image_b"], outputs=["flow_ab"], metadata={"task": "flow"}, free_size=True,
    )  # fmt: skip
    flow = open_flow("pwcnet", weights=tmp_path / "pwcnet.onnx")
    rng = np.random.default_rng(0)
    for shape in ((128, 128), (192, 256)):
        a, b = (rng.integers(0, 255, (*shape, 3), np.uint8) for _ in range(2))
        found = flow(a, b)
        assert found.shape == (*shape, 2)
        with torch.no_grad():
            wanted = net(*(torch.from_numpy(x).permute(2, 0, 1)[None] / 255 for x in (a, b)))
        assert found == pytest.approx(wanted[0].permute(1, 2, 0).numpy(), abs=2e-3)
    assert flow(np.zeros((100, 90), np.uint8), np.zeros((100, 90), np.uint8)).shape == (100, 90, 2)


def test_the_shipped_network_sees_simulated_motion(pairs: PairSet) -> None:
    arrays = pairs.read(np.arange(len(pairs)))
    truth, known = true_flow(make_batch(arrays))
    flows, masks = truth.permute(0, 2, 3, 1).numpy(), known[:, 0].numpy() > 0
    method = open_flow("pwcnet")
    found = np.stack([method(a, b) for a, b in arrays.frames])
    assert endpoint_error(found, flows, masks) < 0.8 * endpoint_error(np.zeros_like(flows), flows, masks)


def test_the_published_file_becomes_a_flow_of_ours(tmp_path: Path) -> None:
    """Random weights under the published names, blue before red as published: our file gives the same flow."""
    torch.manual_seed(0)
    theirs = PwcNet()
    state = {f"module.{name}": value for name, value in theirs.state_dict().items()}
    torch.save({"state_dict": state}, tmp_path / "pwc_net.pth.tar")
    written = convert_flow_file(tmp_path / "pwc_net.pth.tar", tmp_path / "out")
    a, b = np.random.default_rng(1).integers(0, 255, (2, 128, 128, 3), dtype=np.uint8)
    blue_first = [torch.from_numpy(p[..., ::-1].transpose(2, 0, 1)[None] / np.float32(255)) for p in (a, b)]
    with torch.no_grad():
        wanted = theirs.eval()(*blue_first)[0].permute(1, 2, 0).numpy()
    found = open_flow(str(written))(a, b)
    assert np.abs(found - wanted).max() < 1e-3 * np.abs(wanted).max()
    assert "non-commercial" in written.with_suffix(".md").read_text()


@pytest.mark.parametrize("content", [{"conv1a.0.weight": torch.zeros(16, 3, 3, 3)}, {}, None])
def test_other_files_are_refused_in_one_line(tmp_path: Path, content: dict[str, torch.Tensor] | None) -> None:
    source = tmp_path / "other.pth"
    if content is None:
        source.write_bytes(b"not a network")
    else:
        torch.save(content, source)
    with pytest.raises(HaustraError, match=r"PyTorch file|published PWC-Net") as refused:
        convert_flow_file(source, tmp_path / "out")
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_loss_of_flow(pairs: PairSet) -> None:
    """Sun 2018: at five levels the sum over pixels of the end-point error in units of 20 pixels, mean over the batch;
    where not all of a coarse pixel is known, its share."""
    batch = make_batch(pairs.read(np.arange(2)))
    truth, known = (x.numpy() for x in true_flow(batch))
    rng = np.random.default_rng(0)
    flows = [rng.normal(0, 0.2, (2, 2, size, size)) for size in (2, 4, 8, 16, 32)]
    model = SimpleNamespace(pyramid_flows=lambda *_: [torch.from_numpy(flow) for flow in flows])
    expected = 0.0
    for weight, flow in zip((0.32, 0.08, 0.02, 0.01, 0.005), flows, strict=True):
        cells = 128 // flow.shape[-1]
        for n, y, x in np.ndindex(2, *flow.shape[-2:]):
            part = np.s_[n, :, y * cells : (y + 1) * cells, x * cells : (x + 1) * cells]
            count = known[part].sum()
            if count:
                mean = (truth[part] * known[part]).sum(axis=(1, 2)) / count / 20
                expected += weight * math.dist(flow[n, :, y, x], mean) * count / cells**2 / 2
    assert float(flow_loss(model, batch)[0]) == pytest.approx(expected, rel=1e-4)  # type: ignore[arg-type]
