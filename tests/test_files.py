"""A file is put in its place in one step, or not at all."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from simulator import files


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_is_put_is_there_and_nothing_beside_it(tmp_path):
    path = tmp_path / "one.txt"
    for content in (b"", b"first\n", b"\r\n\xff second"):
        files.put(path, content)
        assert path.read_bytes() == content
    assert names(tmp_path) == ["one.txt"]


def test_a_name_as_long_as_the_system_allows_can_be_put(tmp_path):
    # Windows limits the whole path.
    longest = os.pathconf(tmp_path, "PC_NAME_MAX") if hasattr(os, "pathconf") else 240 - len(str(tmp_path))
    path = tmp_path / ("n" * (longest - 4) + ".txt")
    files.put(path, b"content")
    assert path.read_bytes() == b"content"


def test_a_file_that_could_be_run_still_can(tmp_path):
    path = tmp_path / "one.sh"
    path.write_bytes(b"old")
    path.chmod(0o750)
    before = stat.S_IMODE(path.stat().st_mode)
    files.put(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == before


@pytest.mark.parametrize("place", ["folder", "folder/missing/one.txt"])
def test_where_nothing_can_be_put_that_is_an_error_and_leaves_nothing(tmp_path, place):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r".") as raised:
        files.put(tmp_path / place, b"content")
    assert raised.value.strerror
    assert names(tmp_path) == ["folder"]
    assert names(tmp_path / "folder") == []


@pytest.mark.parametrize("given", [None, "text"])
def test_a_mistake_of_ours_leaves_the_old_file_and_nothing_beside_it(tmp_path, given):
    path = tmp_path / "one.txt"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        files.put(path, given)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["one.txt"]


def test_a_link_stays_a_link_to_the_new_file(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_bytes(b"old")
    try:
        link.symlink_to(real)
    except OSError:
        pytest.skip("this system lets this user make no symbolic links")
    files.put(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are files only on POSIX systems")
def test_a_pipe_or_a_device_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe"):
        files.put(tmp_path / "pipe", b"content")
    assert (tmp_path / "pipe").is_fifo()
    assert names(tmp_path) == ["pipe"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permission bits")
def test_who_may_read_it_is_as_for_any_new_file(tmp_path):
    usual, path = tmp_path / "usual.txt", tmp_path / "one.txt"
    usual.write_bytes(b"")
    files.put(path, b"")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)


WRITER = """
import sys
from pathlib import Path
from simulator import files
path = Path(sys.argv[1])
for turn in range(10**6):
    files.put(path, bytes([65 + turn % 2]) * 200_000)
    if not turn:
        print("it writes", flush=True)
"""


def test_a_kill_at_any_moment_leaves_a_whole_file(tmp_path):
    path = tmp_path / "one.txt"
    for _ in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, cwd=Path(__file__).parents[1]
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            writer.kill()
        content = path.read_bytes()
        assert content in (b"A" * 200_000, b"B" * 200_000)
