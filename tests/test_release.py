"""What `make release` refuses; that it takes the wheel of today's sources is in test_image.py."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import release


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of two files."""
    package = tmp_path / "src" / "haustra"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "1.0"\n')
    (package / "data" / "table.json").write_text("{}")
    monkeypatch.setattr(release, "SOURCE", tmp_path / "src")
    return tmp_path


def wheel_of(folder: Path, files: dict[str, str]) -> Path:
    wheel = folder / "haustra-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel


WHOLE = {"haustra/__init__.py": "", "haustra/data/table.json": "{}", "haustra-1.0.dist-info/METADATA": ""}


def test_a_wheel_holds_the_package_and_nothing_else(source: Path) -> None:
    release.check_wheel(wheel_of(source, WHOLE))
    with pytest.raises(ValueError, match=r"lacks haustra/data/table.json"):
        release.check_wheel(wheel_of(source, {"haustra/__init__.py": ""}))
    with pytest.raises(ValueError, match=r"holds haustra/old.py"):
        release.check_wheel(wheel_of(source, {**WHOLE, "haustra/old.py": ""}))


def test_a_path_of_a_machine_is_refused(source: Path) -> None:
    with pytest.raises(ValueError, match=r"table.json holds a path of a machine: /home/"):
        release.check_wheel(wheel_of(source, {**WHOLE, "haustra/data/table.json": '"/home/someone/video.mp4"'}))


def test_what_was_built_before_must_not_lie_beside_it(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel_of(source, WHOLE)
    (source / "haustra-0.9-py3-none-any.whl").touch()
    assert release.main(source) == 2
    assert "haustra-0.9-py3-none-any.whl, haustra-1.0-py3-none-any.whl where" in capsys.readouterr().err
