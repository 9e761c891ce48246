"""The state of a repository, and snapshots of it."""

from __future__ import annotations

import pytest

from tests.collectors.swe._box import Held
from worldtape.collectors.swe.facts import repository_facts
from worldtape.collectors.swe.probe import Look, look
from worldtape.collectors.swe.repository import lay, set_up
from worldtape.collectors.swe.snapshots import Snapshots
from worldtape.collectors.swe.sources import Origin
from worldtape.collectors.tasks import Setup
from worldtape.errors import InputError, NotFoundError

pytestmark = pytest.mark.docker


@pytest.fixture
def repository(held: Held) -> Held:
    """Return a box with a repository of two files."""
    import io
    import tarfile

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, data in (("a.py", b"a = 1\n"), ("d/b.py", b"b = 2\n")):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    held.empty()
    held.do(lay(held.box, Origin("two", "files", buffer.getvalue(), 0)))
    return held


def seen(held: Held) -> Look:
    """Look at the repository, which must be there."""
    found = held.do(look(held.box))
    assert found is not None
    return found


def after(held: Held, command: str) -> Look:
    """Look after a command."""
    ran = held.do(held.box.run(command))
    assert ran.code == 0, ran
    return seen(held)


def test_a_look_leaves_nothing_behind(repository: Held):
    repository.do(repository.box.run("echo 2 >>a.py; echo 3 >new; touch -d 2001-01-01 d/b.py"))
    times = "find . -path ./.git/objects -prune -o -printf '%p %C@ %T@ %s\\n' | sort"
    every = f"{times}; find .git/objects | sort; sha256sum .git/index; ls /tmp"
    before = repository.do(repository.box.run(every)).out
    first = seen(repository)
    assert repository.do(repository.box.run(every)).out == before
    assert seen(repository) == first


def test_changes_are_told_by_path_patch_and_tree(repository: Held):
    clean = seen(repository)
    assert (clean.branch, clean.dirty, clean.untracked, clean.diff) == ("main", (), (), b"")
    edited = after(repository, "echo 'a = 2' >a.py")
    assert (edited.dirty, edited.staged, edited.untracked) == (("a.py",), (), ())
    assert b"-a = 1\n+a = 2\n" in edited.diff
    staged = after(repository, "git add a.py")
    assert (staged.tree, staged.staged) == (edited.tree, ("a.py",))
    added = after(repository, "printf 'x\\0' >'n ü.bin'; git mv d/b.py c.py")
    assert added.untracked == ("n ü.bin",)
    assert b"GIT binary patch" in added.diff
    committed = after(repository, "git add -A; git commit -qm all")
    assert (committed.tree, committed.diff, committed.dirty) == (added.tree, b"", ())
    for one, other in ((clean, edited), (edited, staged), (staged, added), (added, committed)):
        assert other.differs(one)
    assert not committed.differs(seen(repository))
    assert after(repository, "git checkout -q --detach").branch is None


def test_what_an_untracked_file_holds_is_state_and_what_is_ignored_is_not(repository: Held):
    one = after(repository, "echo 1 >new")
    two = after(repository, "echo 2 >new")
    assert two.differs(one)
    assert one.untracked == two.untracked == ("new",)
    assert not after(repository, "mkdir -p __pycache__; echo x >__pycache__/a.pyc").differs(two)
    assert not after(repository, "git reset -q; touch a.py; git status >/dev/null").differs(two)


def test_where_git_cannot_be_asked_the_state_is_unknown(repository: Held):
    repository.do(repository.box.run("rm .git/HEAD"))
    assert repository.do(look(repository.box)) is None


def test_a_repository_without_a_commit_has_no_head(repository: Held):
    found = after(repository, "rm -rf .git && git init -q -b new")
    assert (found.head, found.branch, found.diff, found.untracked) == (None, "new", b"", ("a.py", "d/b.py"))


def test_of_very_many_paths_the_first_are_named(repository: Held):
    state = after(repository, "mkdir many && cd many && seq 600 | xargs touch").state()
    assert (len(state["untracked"]), state["more_paths"]) == (500, 100)


def test_a_snapshot_brings_files_index_and_history_back(repository: Held):
    snapshots = Snapshots(repository.box)
    before = after(repository, "echo 2 >a.py; git add a.py; echo 3 >a.py; echo new >'ü'; mkdir empty")
    name = repository.do(snapshots.take())
    whole = repository.do(repository.box.tree())
    changed = after(repository, "git add -A; git commit -qm x; git branch other; rm -rf d; echo 9 >a.py; git stash -q")
    assert changed.differs(before)
    repository.do(snapshots.restore(name))
    assert seen(repository) == before
    assert repository.do(repository.box.tree()) == whole
    assert repository.do(repository.box.run("git branch; git stash list")).out == b"* main\n"
    repository.do(repository.box.run("rm -rf .git a.py"))
    repository.do(snapshots.restore(name))
    assert seen(repository) == before
    with pytest.raises(NotFoundError, match="there is no snapshot 'x'; known: "):
        repository.do(snapshots.restore("x"))


def test_a_set_up_is_committed_and_a_wrong_one_is_told(repository: Held):
    setup = Setup(files={"tests/t.sh": "#!/bin/sh\nexit 0\n"}, commands=("tests/t.sh", "sed -i s/1/7/ a.py"))
    head = repository.do(set_up(repository.box, setup, timeout_s=20))
    found = seen(repository)
    assert (found.head, found.dirty, found.untracked) == (head, (), ())
    assert repository.do(repository.box.read("a.py")) == b"a = 7\n"
    log = repository.do(repository.box.run("git log --format=%s%aI; git reflog")).out.decode().split("\n")
    assert log == ["Set up2024-01-01T00:00:00+00:00", "Import two2024-01-01T00:00:00+00:00", ""]
    with pytest.raises(InputError, match="exit 3: set-up failed with 3"):
        repository.do(set_up(repository.box, Setup(commands=("exit 3",)), timeout_s=20))
    with pytest.raises(InputError, match=r"set-up did not end within 0\.2 s"):
        repository.do(set_up(repository.box, Setup(commands=("sleep 100",)), timeout_s=0.2))


def test_facts_hold_the_texts(repository: Held):
    repository.do(repository.box.write("bin", b"\xff\0"))
    facts = repository.do(repository_facts(repository.box))
    assert facts["files"] == {"a.py": "a = 1\n", "bin": None, "d/b.py": "b = 2\n"}
    assert (facts["branch"], facts["untracked"]) == ("main", ["bin"])


def test_of_a_very_long_patch_the_beginning_is_kept(repository: Held):
    found = after(repository, "head -c 20000000 /dev/urandom >big")
    assert len(found.diff) == 16 << 20
    assert found.diff_bytes > 20_000_000
    assert found.untracked == ("big",)
