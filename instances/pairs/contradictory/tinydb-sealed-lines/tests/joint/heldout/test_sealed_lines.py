# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""A sealed file with one line for each document."""

import hashlib
import hmac
import itertools
import json

import pytest
from tinydb import JSONStorage, TinyDB, where
from tinydb.middlewares import CachingMiddleware
from tinydb.storages import LineError, SealError

KEY = b"a key"


def seal_of(content, key=KEY):
    return b"#seal " + hmac.new(key, content, hashlib.sha256).hexdigest().encode() + b"\n"


def sealed(content, key=KEY):
    return content + seal_of(content, key)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "db.json"


def read(path, **options):
    storage = JSONStorage(path, **options)
    try:
        return storage.read()
    finally:
        storage.close()


def write(path, data, **options):
    storage = JSONStorage(path, **options)
    storage.write(data)
    storage.close()
    return path.read_bytes()


DATA = {"t": {"10": {"n": "\u00fc"}, "9": {"n": 0.25}}, "s": {}}
LINES = b'["s"]\n["t", "9", {"n": 0.25}]\n["t", "10", {"n": "\\u00fc"}]\n'
WHOLE = json.dumps(DATA).encode()


def test_lines_and_then_the_seal(path):
    assert write(path, DATA, layout="lines", seal_key=KEY) == sealed(LINES)
    assert read(path, layout="lines", seal_key=KEY) == DATA


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_encodings_and_arguments_of_dumps(path, encoding):
    options = {"layout": "lines", "seal_key": KEY, "encoding": encoding}
    raw = write(path, DATA, ensure_ascii=False, indent=3, separators=(",", ":"), **options)
    assert raw == sealed('["s"]\n["t","9",{"n":0.25}]\n["t","10",{"n":"\u00fc"}]\n'.encode(encoding))
    assert read(path, **options) == DATA


@pytest.mark.parametrize("mode", ["r+", "r", "rb"])
@pytest.mark.parametrize("layout", ["lines", "json"])
@pytest.mark.parametrize("key", [KEY, None], ids=["key", "no key"])
def test_each_kind_of_file_is_read_with_each_setting(path, layout, mode, key):
    options = {"layout": layout, "access_mode": mode, "seal_key": key}
    for raw in (sealed(LINES), sealed(WHOLE + b"\n"), sealed(b"\n" + LINES), sealed(json.dumps(DATA, indent=1).encode() + b"\n")):
        path.write_bytes(raw)
        assert read(path, **options) == DATA
        assert path.read_bytes() == raw
    for raw in (LINES, WHOLE):
        path.write_bytes(raw)
        if key is None:
            assert read(path, **options) == DATA
        else:
            with pytest.raises(SealError):
                read(path, **options)


def test_conversions(path):
    forms = {
        ("json", None): WHOLE,
        ("json", KEY): sealed(WHOLE + b"\n"),
        ("lines", None): LINES,
        ("lines", KEY): sealed(LINES),
    }
    for (old, raw), (new, wanted) in itertools.product(forms.items(), repeat=2):
        if old[1] is None and new[1] is not None:
            continue
        path.write_bytes(raw)
        with TinyDB(path, layout=new[0], seal_key=new[1]) as db:
            table = db.table("t")
            table.update({"n": 0.25}, doc_ids=[9])
        written = path.read_bytes()
        if new[0] == "json":
            content = written[: -len(seal_of(b""))] if new[1] else written
            assert json.loads(content) == DATA
            assert written == (sealed(content) if new[1] else content)
        else:
            assert written == wanted


BROKEN = {
    "other value": sealed(LINES).replace(b"0.25", b"0.26"),
    "same meaning": sealed(LINES).replace(b'"t", "9"', b'"t","9"'),
    "other order": sealed(LINES).replace(b'["s"]\n', b"").replace(b"#seal", b'["s"]\n#seal'),
    "blank line more": sealed(LINES).replace(b"#seal", b"\n#seal"),
    "blank line after the seal": sealed(LINES) + b"\n",
    "carriage return": sealed(LINES).replace(b"]\n[", b"]\r\n["),
    "line taken out": sealed(LINES).replace(b'["s"]\n', b""),
    "line after the seal": sealed(LINES) + b'["t", "11", {}]\n',
    "half a line": sealed(LINES).replace(b'"n": 0.25}]', b'"n":'),
    "document twice": sealed(LINES).replace(b'"10"', b'"9"'),
    "conflict": b"<<<<<<< ours\n" + sealed(LINES) + b"=======\n" + sealed(LINES) + b">>>>>>> theirs\n",
    "two seals": sealed(LINES) + seal_of(LINES),
    "cut": sealed(LINES)[:40],
    "other layout": WHOLE + b"\n" + seal_of(LINES),
    "seal only": seal_of(LINES),
}


@pytest.mark.parametrize("layout", ["lines", "json"])
@pytest.mark.parametrize("case", BROKEN)
def test_the_seal_is_checked_first(path, case, layout):
    path.write_bytes(BROKEN[case])
    db = TinyDB(path, layout=layout, seal_key=KEY)
    for attempt in (db.all, db.tables, lambda: db.insert({"x": 1}), lambda: db.table("t").truncate()):
        with pytest.raises(SealError):
            attempt()
    db.close()
    assert path.read_bytes() == BROKEN[case]


GOOD = b'["t", "1", {}]\n'


@pytest.mark.parametrize("key", [KEY, None], ids=["key", "no key"])
@pytest.mark.parametrize(
    ("content", "line"),
    [
        (GOOD + b"\nx\n", 3),
        (GOOD + b'["s", "1", {}]\n' + GOOD, 3),
        (b"<<<<<<<\n" + GOOD, 1),
        (GOOD + b'["t", "2"]', 2),
        (sealed(GOOD) + b'["t", "2", {}]\n', 2),
    ],
    ids=["no entry", "twice", "conflict", "no document", "seal above"],
)
def test_lines_under_a_good_seal_are_checked_too(path, content, line, key):
    raw = sealed(content if content.endswith(b"\n") else content + b"\n")
    path.write_bytes(raw)
    db = TinyDB(path, layout="lines", seal_key=key)
    for attempt in (db.all, lambda: db.insert({"x": 1})):
        with pytest.raises(LineError) as caught:
            attempt()
        assert caught.value.line == line
        assert not isinstance(caught.value, SealError)
    db.close()
    assert path.read_bytes() == raw


def test_without_a_key_the_seal_is_no_bad_line(path):
    path.write_bytes(sealed(LINES, b"unknown"))
    with TinyDB(path, layout="lines") as db:
        assert db.tables() == {"s", "t"}
        db.table("s").insert({"a": 1})
    assert path.read_bytes() == LINES.replace(b'["s"]\n', b'["s", "1", {"a": 1}]\n')
    path.write_bytes(sealed(b"\n" + GOOD) + GOOD.replace(b"1", b"2"))
    with TinyDB(path, layout="lines") as db, pytest.raises(LineError) as caught:
        db.all()
    assert caught.value.line == 3


def test_a_life_in_lines(path):
    with TinyDB(path, layout="lines", seal_key=KEY, indent=2) as db:
        assert db.all() == []
        db.insert_multiple({"n": n} for n in range(11))
        before = path.read_bytes().splitlines()
        assert len(before) == 12
        db.update({"n": "longer " * 20}, doc_ids=[3])
        after = path.read_bytes().splitlines()
        assert [i for i, (one, two) in enumerate(zip(before, after)) if one != two] == [2, 11]
        db.remove(where("n") != 7)
        assert path.read_bytes() == sealed(b'["_default", "8", {"n": 7}]\n')
        with pytest.raises(TypeError):
            db.insert({"bad": object()})
        assert path.read_bytes() == sealed(b'["_default", "8", {"n": 7}]\n')
        db.truncate()
        assert path.read_bytes() == sealed(b'["_default"]\n')
    assert read(path, layout="lines", seal_key=KEY) == {"_default": {}}


@pytest.mark.parametrize("layout", ["lines", "json"])
def test_a_database_without_tables(path, layout):
    with TinyDB(path, layout="lines", seal_key=KEY) as db:
        db.insert({"a": 1})
        db.drop_tables()
        raw = path.read_bytes()
        assert db.tables() == set()
    content = raw[: -len(seal_of(b""))]
    assert content.strip() == b""
    assert raw == sealed(content)
    for key in (KEY, None):
        with TinyDB(path, layout=layout, seal_key=key) as db:
            assert db.tables() == set()
            assert db.all() == []
    path.write_bytes(raw.replace(b"#seal ", b"#seal 0"))
    with TinyDB(path, layout=layout, seal_key=KEY) as db, pytest.raises(SealError):
        db.all()
    path.write_bytes(raw)
    with TinyDB(path, layout=layout, seal_key=KEY) as db:
        db.insert({"b": 1})
        assert db.all() == [{"b": 1}]


def test_words_that_look_like_a_seal(path):
    doc = {"#seal ": "\n#seal 00\n"}
    with TinyDB(path, layout="lines", seal_key=KEY) as db:
        db.table("#seal ").insert(doc)
        assert db.table("#seal ").all() == [doc]
    assert read(path, seal_key=KEY) == {"#seal ": {"1": doc}}


def test_bad_arguments(path):
    for options in ({"layout": "lines", "seal_key": b""}, {"layout": "x", "seal_key": KEY}):
        with pytest.raises(ValueError):
            JSONStorage(path, **options)
    assert not path.exists()


def test_caching_middleware(path):
    with TinyDB(path, storage=CachingMiddleware(JSONStorage), layout="lines", seal_key=KEY) as db:
        db.insert({"a": 1})
    assert path.read_bytes() == sealed(b'["_default", "1", {"a": 1}]\n')
    with TinyDB(path, storage=CachingMiddleware(JSONStorage), layout="lines", seal_key=KEY) as db:
        assert db.all() == [{"a": 1}]
    path.write_bytes(path.read_bytes().replace(b'"a": 1', b'"a": 2'))
    db = TinyDB(path, storage=CachingMiddleware(JSONStorage), layout="lines", seal_key=KEY)
    with pytest.raises(SealError):
        db.all()
