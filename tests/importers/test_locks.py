"""What somebody else's repository needs, read off its metadata without running any of it."""

from pathlib import Path

import pytest

from eval.importing.locks import lock_for, own_modules, source_roots
from instances.importers.raw import RawBase
from instances.importers.rejects import RejectedError

BASE = RawBase({}, "python", "python", extras=("test",), requirement_files=("requirements/tests.txt",))
IMPOSSIBLE = "pytest<0"


def lay_out(tree: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, encoding="utf-8")
    return tree


@pytest.mark.parametrize(
    "files",
    [
        {
            "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["pluggy>=1"]\n'
            'optional-dependencies = {test = ["iniconfig"]}\n'
        },
        {
            "setup.cfg": "[metadata]\nname = shop\n[options]\ninstall_requires =\n  pluggy>=1\n"
            "[options.extras_require]\ntest =\n  iniconfig\n"
        },
        {
            "setup.cfg": "[metadata]\nname = shop\n",
            "setup.py": "raise SystemExit\n"
            "setup(install_requires=['pluggy>=1'], extras_require={'test': ['iniconfig']}, packages=find())\n",
        },
    ],
)
def test_dependencies_are_read_wherever_they_are_written(tmp_path: Path, files: dict[str, str]) -> None:
    more = {
        "requirements/tests.txt": "-r more.txt\npackaging==3 --hash=sha256:0\n# no\n",
        "requirements/more.txt": "pygments\n-r ../../x\n",
    }
    with pytest.raises(RejectedError) as caught:
        lock_for(BASE, lay_out(tmp_path, {**files, **more}), (IMPOSSIBLE,))
    assert f"for all of pluggy>=1 iniconfig {IMPOSSIBLE} pygments packaging==3: ERROR" in caught.value.rejection.reason
    assert caught.value.rejection.code == "unpinned-environment"


def test_what_needs_no_packages_asks_nobody(tmp_path: Path) -> None:
    assert lock_for(RawBase({}, "go", "go"), tmp_path, ()).startswith(b"# Nothing")


def test_the_tree_s_own_packages_are_those_that_can_be_imported(tmp_path: Path) -> None:
    lay_out(tmp_path, {"src/shop/__init__.py": "", "src/no-name/__init__.py": "", "tests/__init__.py": ""})
    assert (source_roots(tmp_path), own_modules(tmp_path)) == (("src", "."), ("shop",))
