# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""A seal at the end of a database file."""

import hashlib
import hmac
import json

import pytest
from tinydb import JSONStorage, TinyDB, where
from tinydb.middlewares import CachingMiddleware
from tinydb.storages import SealError

KEY = b"station 7"


def seal_of(content, key=KEY):
    return b"#seal " + hmac.new(key, content, hashlib.sha256).hexdigest().encode() + b"\n"


def sealed(content, key=KEY):
    return content + seal_of(content, key)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "records.json"


def filled(path, key=KEY, **options):
    with TinyDB(path, seal_key=key, **options) as db:
        db.insert({"device": "scale", "error": 0.25})
        db.table("people").insert({"name": "fitter"})
    return path.read_bytes()


def read(path, **options):
    storage = JSONStorage(path, **options)
    try:
        return storage.read()
    finally:
        storage.close()


DATA = {"_default": {"1": {"device": "scale", "error": 0.25}}, "people": {"1": {"name": "fitter"}}}


def test_error_is_a_value_error():
    assert issubclass(SealError, ValueError)


def test_file_is_what_it_was_and_a_seal_line(path):
    assert filled(path) == sealed(json.dumps(DATA).encode() + b"\n")
    assert read(path, seal_key=KEY) == DATA


def test_arguments_of_dumps_count(path):
    raw = filled(path, indent=2, sort_keys=True, separators=(",", ":"))
    assert raw == sealed(json.dumps(DATA, indent=2, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    assert read(path, seal_key=KEY) == DATA


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_encodings(path, encoding):
    with TinyDB(path, seal_key=KEY, encoding=encoding, ensure_ascii=False) as db:
        db.insert({"name": "Jürgen Weiß"})
        assert db.all() == [{"name": "Jürgen Weiß"}]
    content = '{"_default": {"1": {"name": "Jürgen Weiß"}}}\n'.encode(encoding)
    assert path.read_bytes() == sealed(content)
    assert read(path, seal_key=KEY, encoding=encoding)["_default"]["1"] == {"name": "Jürgen Weiß"}


def test_every_write_seals_anew(path):
    with TinyDB(path, seal_key=KEY) as db:
        for number in range(3):
            db.insert({"n": number, "text": "x" * 300})
            content, _, last = path.read_bytes()[:-1].rpartition(b"\n")
            assert last + b"\n" == seal_of(content + b"\n")
        db.update({"n": 7}, where("n") == 1)
        db.remove(where("n") == 0)
        assert [doc["n"] for doc in db] == [7, 2]
        db.truncate()
    raw = path.read_bytes()
    assert raw.count(b"#seal ") == 1
    assert raw == sealed(b'{"_default": {}}\n')


def test_line_feed_that_is_there_is_enough(path):
    class Ended(json.JSONEncoder):
        def encode(self, o):
            return super().encode(o) + "\n"

    storage = JSONStorage(path, seal_key=KEY, cls=Ended)
    storage.write(DATA)
    assert path.read_bytes() == sealed(json.dumps(DATA).encode() + b"\n")
    assert storage.read() == DATA
    storage.close()


CONTENT = json.dumps(DATA).encode() + b"\n"
BROKEN = {
    "value changed": sealed(CONTENT).replace(b"0.25", b"0.26"),
    "same meaning": sealed(CONTENT).replace(b'"device": ', b'"device":'),
    "blank at the end": sealed(CONTENT[:-1] + b" \n").replace(b" \n", b"\n"),
    "carriage return": sealed(CONTENT).replace(b"}\n#", b"}\r\n#"),
    "carriage return after the seal": sealed(CONTENT)[:-1] + b"\r\n",
    "blank after the seal": sealed(CONTENT)[:-1] + b" \n",
    "no line feed after the seal": sealed(CONTENT)[:-1],
    "line after the seal": sealed(CONTENT) + b"\n",
    "other key": sealed(CONTENT, b"station 8"),
    "upper case": CONTENT + b"#seal " + seal_of(CONTENT)[6:].upper(),
    "no seal": CONTENT,
    "never sealed": CONTENT[:-1],
    "half a seal": sealed(CONTENT)[:-20],
    "other word": sealed(CONTENT).replace(b"#seal", b"#SEAL"),
    "seal above": seal_of(CONTENT) + CONTENT,
    "seal and rubbish": sealed(CONTENT).replace(b"{", b"<"),
    "rubbish": b"<<<<<<<\n",
    "one line feed": b"\n",
    "seal in the line of the content": sealed(CONTENT[:-1]),
}


@pytest.mark.parametrize("mode", ["r+", "r", "rb"])
@pytest.mark.parametrize("case", BROKEN)
def test_a_change_is_noticed(path, case, mode):
    path.write_bytes(BROKEN[case])
    storage = JSONStorage(path, seal_key=KEY, access_mode=mode)
    for _ in range(2):
        with pytest.raises(SealError):
            storage.read()
    storage.close()
    assert path.read_bytes() == BROKEN[case]


@pytest.mark.parametrize("mode", ["r+", "r", "rb"])
def test_a_good_seal_is_good_in_each_mode(path, mode):
    path.write_bytes(sealed(CONTENT))
    assert read(path, seal_key=KEY, access_mode=mode) == DATA
    assert read(path, access_mode=mode) == DATA


def test_a_changed_file_is_left_alone(path):
    raw = filled(path).replace(b"fitter", b"porter")
    path.write_bytes(raw)
    db = TinyDB(path, seal_key=KEY)
    with pytest.raises(SealError):
        db.insert({"x": 1})
    with pytest.raises(SealError):
        db.table("people").update({"x": 1})
    with pytest.raises(SealError):
        db.tables()
    db.close()
    assert path.read_bytes() == raw


def test_new_and_empty_files(path):
    with TinyDB(path, seal_key=KEY) as db:
        assert db.all() == []
        assert path.read_bytes() == b""
    path.write_bytes(b"")
    assert read(path, seal_key=KEY) is None


def test_without_a_key_it_is_read_unchecked_and_written_unsealed(path):
    path.write_bytes(sealed(CONTENT, b"some other"))
    assert read(path) == DATA
    assert path.read_bytes() == sealed(CONTENT, b"some other")
    with TinyDB(path) as db:
        assert db.table("people").all() == [{"name": "fitter"}]
        db.table("people").truncate()
    assert path.read_bytes() == json.dumps({**DATA, "people": {}}).encode()


def test_without_a_key_nothing_is_new(path):
    with TinyDB(path) as db:
        db.insert({"text": "\n#seal 00\n"})
        assert db.all() == [{"text": "\n#seal 00\n"}]
    assert path.read_bytes() == json.dumps({"_default": {"1": {"text": "\n#seal 00\n"}}}).encode()


def test_words_in_a_document_are_no_seal(path):
    with TinyDB(path, seal_key=KEY, indent=1) as db:
        db.insert({"#seal ": "\n#seal 00"})
        assert db.all() == [{"#seal ": "\n#seal 00"}]


@pytest.mark.parametrize("key", [b"", "", "station 7", 7, False, ["x"], bytearray(b"station 7")])
def test_bad_keys(path, key):
    with pytest.raises(ValueError):
        JSONStorage(path, seal_key=key)
    assert not path.exists()


def test_caching_middleware(path):
    with TinyDB(path, storage=CachingMiddleware(JSONStorage), seal_key=KEY) as db:
        db.insert({"a": 1})
    assert path.read_bytes() == sealed(b'{"_default": {"1": {"a": 1}}}\n')
    path.write_bytes(path.read_bytes().replace(b"1}", b"2}"))
    db = TinyDB(path, storage=CachingMiddleware(JSONStorage), seal_key=KEY)
    with pytest.raises(SealError):
        db.all()
