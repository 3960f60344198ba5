from __future__ import annotations

import pytest
import torch

from haustra.core.errors import HaustraError
from haustra.lab.training.quality import efficientnet, inception
from haustra.lab.training.quality.networks import Lite, PaperPair, build


def conv(name, outputs, inputs, height, width=None):
    width = height if width is None else width
    shapes = {f"{name}.conv.weight": (outputs, inputs, height, width)}
    shapes |= {f"{name}.bn.{key}": (outputs,) for key in ("weight", "bias", "running_mean", "running_var")}
    return shapes | {f"{name}.bn.num_batches_tracked": ()}


def expected_names_and_shapes():
    want = conv("Conv2d_1a_3x3", 32, 3, 3) | conv("Conv2d_2a_3x3", 32, 32, 3) | conv("Conv2d_2b_3x3", 64, 32, 3)
    want |= conv("Conv2d_3b_1x1", 80, 64, 1) | conv("Conv2d_4a_3x3", 192, 80, 3)
    for name, inputs, pool in (("Mixed_5b", 192, 32), ("Mixed_5c", 256, 64), ("Mixed_5d", 288, 64)):
        want |= conv(f"{name}.branch1x1", 64, inputs, 1) | conv(f"{name}.branch_pool", pool, inputs, 1)
        want |= conv(f"{name}.branch5x5_1", 48, inputs, 1) | conv(f"{name}.branch5x5_2", 64, 48, 5)
        want |= conv(f"{name}.branch3x3dbl_1", 64, inputs, 1) | conv(f"{name}.branch3x3dbl_2", 96, 64, 3)
        want |= conv(f"{name}.branch3x3dbl_3", 96, 96, 3)
    want |= conv("Mixed_6a.branch3x3", 384, 288, 3) | conv("Mixed_6a.branch3x3dbl_1", 64, 288, 1)
    want |= conv("Mixed_6a.branch3x3dbl_2", 96, 64, 3) | conv("Mixed_6a.branch3x3dbl_3", 96, 96, 3)
    for name, c in (("Mixed_6b", 128), ("Mixed_6c", 160), ("Mixed_6d", 160), ("Mixed_6e", 192)):
        want |= conv(f"{name}.branch1x1", 192, 768, 1) | conv(f"{name}.branch_pool", 192, 768, 1)
        want |= conv(f"{name}.branch7x7_1", c, 768, 1) | conv(f"{name}.branch7x7_2", c, c, 1, 7)
        want |= conv(f"{name}.branch7x7_3", 192, c, 7, 1) | conv(f"{name}.branch7x7dbl_1", c, 768, 1)
        want |= conv(f"{name}.branch7x7dbl_2", c, c, 7, 1) | conv(f"{name}.branch7x7dbl_3", c, c, 1, 7)
        want |= conv(f"{name}.branch7x7dbl_4", c, c, 7, 1) | conv(f"{name}.branch7x7dbl_5", 192, c, 1, 7)
    want |= conv("AuxLogits.conv0", 128, 768, 1) | conv("AuxLogits.conv1", 768, 128, 5)
    want |= {"AuxLogits.fc.weight": (1000, 768), "AuxLogits.fc.bias": (1000,)}
    want |= conv("Mixed_7a.branch3x3_1", 192, 768, 1) | conv("Mixed_7a.branch3x3_2", 320, 192, 3)
    want |= conv("Mixed_7a.branch7x7x3_1", 192, 768, 1) | conv("Mixed_7a.branch7x7x3_2", 192, 192, 1, 7)
    want |= conv("Mixed_7a.branch7x7x3_3", 192, 192, 7, 1) | conv("Mixed_7a.branch7x7x3_4", 192, 192, 3)
    for name, inputs in (("Mixed_7b", 1280), ("Mixed_7c", 2048)):
        want |= conv(f"{name}.branch1x1", 320, inputs, 1) | conv(f"{name}.branch_pool", 192, inputs, 1)
        want |= conv(f"{name}.branch3x3_1", 384, inputs, 1) | conv(f"{name}.branch3x3dbl_1", 448, inputs, 1)
        want |= conv(f"{name}.branch3x3_2a", 384, 384, 1, 3) | conv(f"{name}.branch3x3_2b", 384, 384, 3, 1)
        want |= conv(f"{name}.branch3x3dbl_2", 384, 448, 3) | conv(f"{name}.branch3x3dbl_3a", 384, 384, 1, 3)
        want |= conv(f"{name}.branch3x3dbl_3b", 384, 384, 3, 1)
    return want | {"fc.weight": (1000, 2048), "fc.bias": (1000,)}


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A file with torchvision's names and shapes; its numbers do not matter here."""
    torch.manual_seed(0)
    state = {
        name: torch.tensor(0) if not shape else torch.rand(shape) * 0.1
        for name, shape in expected_names_and_shapes().items()
    }
    path = tmp_path_factory.mktemp("weights") / "inception_v3_google.pth"
    torch.save(state, path)
    return path, state


def test_inception_has_torchvisions_names_shapes_and_parameter_count():
    network = inception.InceptionV3()
    found = {name: tuple(value.shape) for name, value in network.state_dict().items()}
    assert found == expected_names_and_shapes()
    assert sum(parameter.numel() for parameter in network.parameters()) == 27_161_264


def test_the_published_file_loads_into_both_networks_and_only_the_last_forceps_layer_learns(published):
    path, state = published
    pair = build("inception_v3", dropout=0.4, frozen_blocks=0, imagenet=path)
    assert isinstance(pair, PaperPair)
    for network in (pair.noninformative, pair.forceps):
        assert torch.equal(network.Mixed_6c.branch7x7_2.conv.weight, state["Mixed_6c.branch7x7_2.conv.weight"])
        assert network.fc.weight.shape == (1, 2048)
    learning = {name for name, parameter in pair.forceps.named_parameters() if parameter.requires_grad}
    assert learning == {"fc.weight", "fc.bias"}
    assert all(parameter.requires_grad for parameter in pair.noninformative.parameters())
    pair.train()
    assert not pair.forceps.Mixed_7c.branch1x1.bn.training
    assert pair.forceps.dropout.training
    assert pair.noninformative.Mixed_7c.branch1x1.bn.training


def test_inception_answers_at_the_papers_size_and_has_a_side_answer_in_training():
    network = inception.InceptionV3(1)
    pictures = torch.rand(2, 3, 256, 256) * 255
    main, side = network.train()(pictures)
    assert main.shape == side.shape == (2, 1)
    with torch.no_grad():
        assert network.eval()(pictures).shape == (2, 1)


def test_foreign_files_are_refused_in_one_line(tmp_path):
    torch.save({"weight": torch.zeros(3)}, tmp_path / "other.pth")
    (tmp_path / "text.pth").write_text("hello")
    for name in ("other.pth", "text.pth"):
        with pytest.raises(HaustraError, match="not torchvision's Inception-v3 file"):
            inception.load_imagenet(inception.InceptionV3(1), tmp_path / name)
    with pytest.raises(HaustraError, match="no such file"):
        inception.load_imagenet(inception.InceptionV3(1), tmp_path / "missing.pth")


def test_the_small_network_knows_imagenet():
    """Loaded by name; a wrong padding or scale would lose the features: a smooth picture must excite few of them."""
    trunk = efficientnet.EfficientNetLite0()
    efficientnet.load_imagenet(trunk)
    state = torch.load(efficientnet.imagenet_file(), map_location="cpu", weights_only=True)
    own = trunk.eval().state_dict()
    assert {f"{name}" for name in state} - set(own) == {"_fc.weight", "_fc.bias"}
    assert all(torch.equal(own[name], state[name]) for name in own)
    with torch.no_grad():
        maps = trunk(torch.full((1, 3, 224, 224), 127.0))
        # No class of ImageNet is a plain grey picture: its probabilities are spread out.
        probabilities = torch.softmax(maps.mean((2, 3)) @ state["_fc.weight"].T + state["_fc.bias"], 1)
    assert maps.shape == (1, 1280, 7, 7)
    assert probabilities.max() < 0.5


def test_the_small_network_freezes_early_blocks_and_all_batch_statistics():
    network = Lite(0.2, frozen_blocks=3, pretrained=False).train()
    frozen = {name.split(".")[2] for name, p in network.named_parameters() if "_blocks" in name and not p.requires_grad}
    assert frozen == {"0", "1", "2"}
    assert network.dropout.training
    assert not any(module.training for module in network.trunk.modules())
    assert network(torch.zeros(2, 96, 96, 3, dtype=torch.uint8)).shape == (2, 2)


def test_an_unknown_network_is_named():
    with pytest.raises(HaustraError, match="unknown network 'vgg': allowed are lite, inception_v3"):
        build("vgg", dropout=0.4, frozen_blocks=0, imagenet=None)
