"""The merge radar: the moment two lanes' files stop merging, or one touches what the other changed, both are told where.

Snapshots are merged in memory at step boundaries. A sighting is told once, and told to be over when it is.
"""

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from radio.errors import Reason, Refused
from radio.framing import neutralise
from radio.symbols import Symbol, changed_symbols, is_source, names, new_names, symbols_of
from sandboxes.gitstore import GitStore

THREAD_NAME = "radar"
_MOST_SIGHTINGS = 200
_MOST_TOLD = 20
_MOST_EVIDENCE = 16
_TOLD_BYTES = 8000
_SHOWN_LINES = 30
_MARKERS = re.compile(rb"^(<{7}|={7}|>{7}|\|{7})(?: .*)?$")


@dataclass(frozen=True)
class Sighting:
    """One place where two lanes meet.

    Attributes:
        kind: `merge` (the texts do not merge), `symbol` (both changed it) or `use` (one uses what the other changed).
        lanes: the two, in order of their names.
        path: the file; `symbol` the named thing in it, or "".
        region: of a `merge`, the base's lines in conflict, from and up to (empty where both only add); None: the whole file.
        places: for each of the two lanes, where in its own files.
        text: what the radio tells them.
    """

    kind: str
    lanes: tuple[str, str]
    path: str
    symbol: str
    region: tuple[int, int] | None
    places: Mapping[str, str] = field(compare=False)
    text: str = field(compare=False)

    def same(self, other: "Sighting") -> bool:
        """Whether it is the other one, as far as the lanes' edits have gone on since: their conflicts meet in the base."""
        if (self.kind, self.lanes, self.path, self.symbol) != (other.kind, other.lanes, other.path, other.symbol):
            return False
        if self.region is None or other.region is None:
            return True
        return self.region[0] <= other.region[1] and other.region[0] <= self.region[1]


@dataclass(frozen=True)
class Sweep:
    """What a look found: sightings that are new, and those that are over since the last look."""

    new: tuple[Sighting, ...]
    cleared: tuple[Sighting, ...]


class Radar:
    """Watches the lanes of one cell. For one thread at a time."""

    def __init__(self, store: GitStore, base: str) -> None:
        self._store = store
        self._base = base
        self._told: tuple[Sighting, ...] = ()  # and not over
        self._looked_at: dict[tuple[str, str], tuple[Sighting, ...]] = {}
        self._thread = ""

    def look(self, trees: Mapping[str, str]) -> Sweep:
        """Compare the lanes' latest trees.

        Args:
            trees: the latest snapshot of each lane.

        Raises:
            SandboxError: git itself broke.
        """
        pairs: dict[tuple[str, str], tuple[Sighting, ...]] = {}
        for one, other in itertools.combinations(sorted(trees), 2):
            key = (f"{one}:{trees[one]}", f"{other}:{trees[other]}")
            pairs[key] = self._looked_at[key] if key in self._looked_at else self._compare(one, other, trees)
        self._looked_at = pairs
        found = [sighting for sightings in pairs.values() for sighting in sightings]
        # In a file that does not merge, who changed what else is not worth telling; what was told of it is not over for that.
        merges = {(sighting.lanes, sighting.path) for sighting in found if sighting.kind == "merge"}
        told = [one for one in found if one.kind == "merge" or (one.lanes, one.path) not in merges]
        new = tuple(one for one in told if not any(one.same(known) for known in self._told))
        cleared = tuple(known for known in self._told if not any(known.same(one) for one in found))
        still = [one for one in found if any(one.same(known) for known in self._told)]
        self._told = (*still, *new)
        return Sweep(new, cleared)

    def _compare(self, one: str, other: str, trees: Mapping[str, str]) -> tuple[Sighting, ...]:
        if self._base in (trees[one], trees[other]) or trees[one] == trees[other]:
            return ()
        return tuple((self._conflicts(one, other, trees) + self._overlaps(one, other, trees))[:_MOST_SIGHTINGS])

    def _conflicts(self, one: str, other: str, trees: Mapping[str, str]) -> list[Sighting]:
        merged = self._store.merge(self._base, trees[one], trees[other], with_base=True)
        return [
            sighting
            for path, text in sorted(merged.conflicts.items())
            for sighting in self._conflicts_in(one, other, path, text, trees)
        ]

    def _conflicts_in(self, one: str, other: str, path: str, text: bytes, trees: Mapping[str, str]) -> list[Sighting]:
        """Of one file: a sighting for each place, or one for the file where its texts are not what conflicts."""
        told = f"Your files and lane {{peer}}'s do not merge any more in {path}."
        base, ours, theirs = (
            (self._store.read_file(tree, path) or b"").split(b"\n") for tree in (self._base, trees[one], trees[other])
        )
        result = []
        for hunk in _hunks(text):
            lines = {one: _locate(ours, hunk.ours, hunk), other: _locate(theirs, hunk.theirs, hunk)}
            start = _locate(base, hunk.base, hunk)
            what = "".join(
                f"\nLane {lane}, from line {lines[lane]}:\n{_cut(side)}"
                for lane, side in ((one, hunk.ours), (other, hunk.theirs))
            )
            places = {lane: f"{path}:{line}" for lane, line in lines.items()}
            result.append(Sighting("merge", (one, other), path, "", (start, start + len(hunk.base)), places, told + what))
        return result or [Sighting("merge", (one, other), path, "", None, {one: path, other: path}, told)]

    def _overlaps(self, one: str, other: str, trees: Mapping[str, str]) -> list[Sighting]:
        changed = {lane: self._changed(trees[lane]) for lane in (one, other)}
        result = []
        for path in sorted(changed[one].keys() & changed[other].keys()):
            for name in sorted(changed[one][path].keys() & changed[other][path].keys()):
                lines = {lane: changed[lane][path][name].line for lane in (one, other)}
                places = {lane: f"{path}:{line}" for lane, line in lines.items()}
                told = f"You and lane {{peer}} both changed {name} in {path}."
                result.append(Sighting("symbol", (one, other), path, name, None, places, told))
        for user, owner in ((one, other), (other, one)):
            result += self._uses(user, owner, trees, changed)
        return result

    def _changed(self, tree: str) -> dict[str, dict[str, Symbol]]:
        """The named things that a lane changed, by path."""
        paths = [path for path in self._store.changed_paths(self._base, tree) if is_source(path)]
        return {path: changed_symbols(*self._symbols(path, self._base, tree)) for path in paths}

    def _symbols(self, path: str, *trees: str) -> list[dict[str, Symbol]]:
        return symbols_of(path, *(self._store.read_file(tree, path) for tree in trees))

    def _uses(
        self, user: str, owner: str, trees: Mapping[str, str], changed: Mapping[str, Mapping[str, Mapping[str, Symbol]]]
    ) -> list[Sighting]:
        """Where lines that one lane added name what the other changed and what stood in the base already.

        By name alone: of a method the file must name the class too, or every `get` would be a use of the one that changed.
        """
        owned = {
            name.rpartition(".")[2]: (path, name)
            for path, symbols in changed[owner].items()
            for name in symbols.keys() & self._symbols(path, self._base)[0].keys()
        }
        pair = (user, owner) if user < owner else (owner, user)
        found: dict[str, Sighting] = {}
        for path in self._store.changed_paths(self._base, trees[user]):
            if not is_source(path):
                continue
            content = self._store.read_file(trees[user], path)
            used = new_names(self._store.read_file(self._base, path), content)
            for short in sorted(used.keys() & owned.keys() - found.keys()):
                owner_path, name = owned[short]
                if name in changed[user].get(owner_path, {}):
                    continue  # both changed it, which is told as such
                if not names(content, name.split(".")[:-1]):
                    continue
                places = {user: f"{path}:{used[short]}", owner: f"{owner_path}:{changed[owner][owner_path][name].line}"}
                told = f"Lane {owner} changed {name} in {owner_path}; lane {user} uses it in {places[user]}."
                found[short] = Sighting("use", pair, owner_path, name, None, places, told)
        return list(found.values())

    def announce(self, sweep: Sweep, ask: Callable[[str, Mapping[str, Any]], Mapping[str, Any]]) -> None:
        """Tell each lane that still runs what a look found, as evidence from the radio itself: in one message.

        Args:
            ask: the engine's way to the hub, `HubProcess.admin`.
        """
        concerned = sorted({lane for sighting in (*sweep.new, *sweep.cleared) for lane in sighting.lanes})
        if not concerned:
            return
        if not self._thread:
            self._thread = ask("create_thread", {"name": THREAD_NAME, "participants": ["all"]})["thread"]
        states = ask("state", {})["lanes"]
        for lane in concerned:
            if states[lane]["finished"] is not None:
                continue
            try:
                ask("send_message", {"thread": self._thread, "mentions": [lane], **_told(sweep, lane)})
            except Refused as refusal:
                if refusal.reason is not Reason.RECIPIENT_FINISHED:  # a moment ago
                    raise


def _told(sweep: Sweep, lane: str) -> dict[str, Any]:
    """The one message to a lane about a sweep; as many places as it can hold, those that do not merge first."""
    new = sorted((one for one in sweep.new if lane in one.lanes), key=lambda one: one.kind != "merge")
    cleared = [one for one in sweep.cleared if lane in one.lanes]
    parts = [one.text.replace("{peer}", _peer(one, lane)) for one in new]
    parts += ["It is over: " + _claim(one, _peer(one, lane)) for one in cleared]
    claims = [_claim(one, _peer(one, lane)) for one in new] or [parts[0]]
    more = len(new) + len(cleared) - 1
    kinds = {one.kind for one in new}
    return {
        "content": _bounded(parts),
        "kind": "contradiction" if "merge" in kinds else "finding" if new else "note",
        "claim": claims[0][:400] + (f" (and {more} more)" if more else ""),
        "evidence": [f"{name}:{place}"[:400] for one in new[:_MOST_EVIDENCE] for name, place in sorted(one.places.items())],
    }


def _bounded(parts: Sequence[str]) -> str:
    """Parts of a message, as many as fit; of each no more than would leave room for one."""
    told: list[str] = []
    room = _TOLD_BYTES
    for part in parts[:_MOST_TOLD]:
        size = len(neutralise(part).encode())
        if size > room and told:
            break
        while size > room:
            part = part[: len(part) * 2 // 3].rstrip() + "\n(cut here)"
            size = len(neutralise(part).encode())
        told.append(part)
        room -= size
    left = len(parts) - len(told)
    return "\n\n".join(told) + (f"\n\n({left} more places)" if left else "")


def _peer(sighting: Sighting, lane: str) -> str:
    one, other = sighting.lanes
    return other if lane == one else one


def _claim(sighting: Sighting, peer: str) -> str:
    where = f"{sighting.symbol} in {sighting.path}" if sighting.symbol else sighting.path
    if sighting.region is not None:
        where += f", near line {sighting.region[0]} of it as it was at first"
    return {
        "merge": f"your files and lane {peer}'s do not merge in {where}",
        "symbol": f"you and lane {peer} both changed {where}",
        "use": f"you or lane {peer} use what the other changed: {where}",
    }[sighting.kind]


@dataclass(frozen=True)
class _Hunk:
    """One conflict: each side's lines and the base's, the line before them, and about where it stands."""

    ours: tuple[bytes, ...]
    theirs: tuple[bytes, ...]
    base: tuple[bytes, ...]
    before: bytes
    about: int


def _hunks(text: bytes) -> Sequence[_Hunk]:
    """The conflicts of a text with markers."""
    hunks: list[_Hunk] = []
    side = before = b""
    lines: dict[bytes, list[bytes]] = {}
    about = 1
    for line in text.split(b"\n"):
        marker = _MARKERS.match(line)
        kind = marker.group(1)[:1] if marker else b""
        if kind == b"<" and not side:
            side, lines = kind, {b"<": [], b"=": [], b"|": []}
        elif side and kind in (b"|", b"=") and kind != side:
            side = kind
        elif side == b"=" and kind == b">":
            hunks.append(_Hunk(tuple(lines[b"<"]), tuple(lines[b"="]), tuple(lines[b"|"]), before, about))
            about, side = about + len(lines[b"|"]), b""
        elif side:
            lines[side].append(line)
        else:
            about, before = about + 1, line
    return hunks


def _locate(file: Sequence[bytes], lines: Sequence[bytes], hunk: _Hunk) -> int:
    """The line, from 1, at which a side's part of a conflict stands in its own file: of equal places the nearest."""
    wanted, shift = (list(lines), 1) if lines else ([hunk.before], 2)
    size = len(wanted)
    places = [start + shift for start in range(len(file) - size + 1) if list(file[start : start + size]) == wanted]
    return min(places, key=lambda place: abs(place - hunk.about), default=hunk.about)


def _cut(lines: Sequence[bytes]) -> str:
    shown = [line.decode(errors="replace")[:200] for line in lines[:_SHOWN_LINES]]
    more = len(lines) - len(shown)
    return "\n".join(shown) + (f"\n({more} more lines)" if more else "")
