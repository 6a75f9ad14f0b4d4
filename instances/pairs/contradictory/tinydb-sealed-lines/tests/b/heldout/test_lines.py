# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""A database file with one line for each document."""

import json
import random

import pytest
from tinydb import JSONStorage, TinyDB, where
from tinydb.middlewares import CachingMiddleware
from tinydb.storages import LineError
from tinydb.table import Document


@pytest.fixture
def path(tmp_path):
    return tmp_path / "items.json"


def read(path, **options):
    storage = JSONStorage(path, **options)
    try:
        return storage.read()
    finally:
        storage.close()


def write(path, data, **options):
    storage = JSONStorage(path, **{"layout": "lines", **options})
    storage.write(data)
    storage.close()
    return path.read_text(encoding="utf-8")


DATA = {
    "weapons": {"10": {"name": "axe"}, "9": {"name": "bow", "range": [1, 2]}},
    "armour": {},
    "_default": {"1": {}},
}
LINES = (
    '["_default", "1", {}]\n'
    '["armour"]\n'
    '["weapons", "9", {"name": "bow", "range": [1, 2]}]\n'
    '["weapons", "10", {"name": "axe"}]\n'
)


def test_error_is_a_value_error():
    assert issubclass(LineError, ValueError)


def test_lines(path):
    assert write(path, DATA) == LINES
    assert read(path, layout="lines") == DATA


def test_the_default_stays(path):
    assert write(path, DATA, layout="json") == json.dumps(DATA)
    with TinyDB(path) as db:
        db.table("armour").insert({"name": "shield"})
    assert path.read_text() == json.dumps({**DATA, "armour": {"1": {"name": "shield"}}})


@pytest.mark.parametrize("layout", ["line", "", None, "JSON", 1])
def test_other_layouts(path, layout):
    with pytest.raises(ValueError):
        JSONStorage(path, layout=layout)
    assert not path.exists()


def test_order_of_ids(path):
    ids = ["0", "1", "2", "9", "10", "100", "-1", "10b", "1a", "A", "a", "\u00b2", "\u0663"]
    shuffled = ids[:]
    random.Random(5).shuffle(shuffled)
    text = write(path, {"t": {doc_id: {"v": 1} for doc_id in shuffled}}, ensure_ascii=False, encoding="utf-8")
    assert [json.loads(line)[1] for line in text.splitlines()] == ids
    assert read(path, encoding="utf-8") == {"t": {doc_id: {"v": 1} for doc_id in ids}}


def test_order_of_tables(path):
    names = ["", "A", "_default", "a", "b 2", "b10", "\u00e4"]
    text = write(path, {name: {"1": {}} for name in reversed(names)})
    assert [json.loads(line)[0] for line in text.splitlines()] == names


def test_one_change_is_one_line(path):
    with TinyDB(path, layout="lines") as db:
        db.insert_multiple({"n": n} for n in range(30))
        before = path.read_text().splitlines()
        assert len(before) == 30
        db.update({"n": "new"}, doc_ids=[12])
        after = path.read_text().splitlines()
        assert [pair for pair in zip(before, after) if pair[0] != pair[1]] == [
            ('["_default", "12", {"n": 11}]', '["_default", "12", {"n": "new"}]')
        ]
        db.remove(doc_ids=[1])
        assert path.read_text().splitlines() == after[1:]
        db.insert(Document({"n": 0}, doc_id=1))
        assert path.read_text().splitlines()[1:] == after[1:]
        assert len(db) == 30
        assert db.get(where("n") == "new").doc_id == 12


def test_tables_that_are_empty_stay(path):
    with TinyDB(path, layout="lines") as db:
        db.insert({"a": 1})
        db.table("x").insert({"b": 1})
        db.table("x").truncate()
        assert path.read_text() == '["_default", "1", {"a": 1}]\n["x"]\n'
        assert db.tables() == {"_default", "x"}
        db.drop_table("x")
        assert db.tables() == {"_default"}
        db.drop_tables()
        assert path.read_bytes() == b""
        assert db.tables() == set()
        db.insert({"again": True})
        assert len(db) == 1


def test_arguments_of_dumps(path):
    text = write(path, {"t": {"1": {"z": "\u00e4", "a": [1]}}}, indent=4, sort_keys=True, separators=(",", ":"))
    assert text == '["t","1",{"a":[1],"z":"\\u00e4"}]\n'
    text = write(path, {"t": {"1": {"s": "a\nb\r\u2028\x85"}}}, ensure_ascii=False, indent=0, encoding="utf-8")
    assert text == '["t", "1", {"s": "a\\nb\\r\u2028\x85"}]\n'
    assert read(path, encoding="utf-8") == {"t": {"1": {"s": "a\nb\r\u2028\x85"}}}
    storage = JSONStorage(path, layout="json", indent=4)
    storage.write(DATA)
    assert path.read_text() == json.dumps(DATA, indent=4)
    storage.close()


def test_what_cannot_be_serialised_leaves_the_file(path):
    with TinyDB(path, layout="lines") as db:
        db.insert({"a": 1})
        before = path.read_bytes()
        with pytest.raises(TypeError):
            db.insert({"b": {1, 2}})
        assert path.read_bytes() == before
        assert db.all() == [{"a": 1}]


@pytest.mark.parametrize("layout", ["json", "lines"])
@pytest.mark.parametrize("mode", ["r+", "r", "rb"])
def test_both_layouts_are_read(path, layout, mode):
    path.write_text(LINES)
    assert read(path, layout=layout, access_mode=mode) == DATA
    path.write_text("\n \t" + json.dumps(DATA, indent=2))
    assert read(path, layout=layout, access_mode=mode) == DATA
    path.write_text("\n  " + LINES)
    assert read(path, layout=layout, access_mode=mode) == DATA


def test_conversion(path):
    with TinyDB(path, indent=2) as db:
        db.table("x").insert({"b": 1})
    with TinyDB(path, layout="lines") as db:
        assert db.tables() == {"x"}
        db.insert({"a": 1})
    assert path.read_text() == '["_default", "1", {"a": 1}]\n["x", "1", {"b": 1}]\n'
    with TinyDB(path) as db:
        db.table("x").insert({"c": 1})
    assert json.loads(path.read_text()) == {"_default": {"1": {"a": 1}}, "x": {"1": {"b": 1}, "2": {"c": 1}}}


def test_blank_lines_and_other_order_are_fine(path):
    path.write_text('\n["t", "2", {}]\n\n   \n["s"]\n["t"]\n["t", "1", {"a": 1}]\n["s", "1", {}]')
    data = {"t": {"1": {"a": 1}, "2": {}}, "s": {"1": {}}}
    assert read(path, layout="lines") == data
    with TinyDB(path, layout="lines") as db:
        db.table("t").insert({})
    assert path.read_text() == '["s", "1", {}]\n["t", "1", {"a": 1}]\n["t", "2", {}]\n["t", "3", {}]\n'


GOOD = '["t", "1", {}]\n'
BAD = {
    "marker": (GOOD + "=======\n" + GOOD, 2),
    "marker at the top": ("<<<<<<< HEAD\n" + GOOD, 1),
    "half a line": (GOOD + '\n["t", "2", {"a": ', 3),
    "two on a line": (GOOD + '["t", "2", {}] ["t", "3", {}]\n', 2),
    "twice": (GOOD + '["s", "1", {}]\n\n["t", "1", {"a": 1}]\n["s", "1", {}]\n', 4),
    "empty table twice": ('["s"]\n["t"]\n["s"]\n', 3),
    "number as id": (GOOD + '["t", 2, {}]\n', 2),
    "number as name": (GOOD + '[2, "2", {}]\n', 2),
    "list as document": (GOOD + '["t", "2", []]\n', 2),
    "null as document": (GOOD + '["t", "2", null]\n', 2),
    "two parts": (GOOD + '["t", "2"]\n', 2),
    "four parts": (GOOD + '["t", "2", {}, {}]\n', 2),
    "no parts": (GOOD + "[]\n", 2),
    "object": (GOOD + '{"t": {}}\n', 2),
    "string": (GOOD + '"t"\n', 2),
    "first of two": (GOOD + "x\ny\n", 2),
    "whole array": ('[["t", "1", {}]]\n', 1),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_lines(path, case):
    text, line = BAD[case]
    path.write_text(text)
    db = TinyDB(path, layout="lines")
    for attempt in (db.all, lambda: db.insert({"x": 1}), db.tables):
        with pytest.raises(LineError) as caught:
            attempt()
        assert caught.value.line == line
    db.close()
    assert path.read_text() == text


def test_caching_middleware(path):
    with TinyDB(path, storage=CachingMiddleware(JSONStorage), layout="lines") as db:
        db.insert_multiple([{"a": 1}, {"a": 2}])
    assert path.read_text() == '["_default", "1", {"a": 1}]\n["_default", "2", {"a": 2}]\n'
