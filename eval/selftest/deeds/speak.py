"""Speaks to the radio's hub as it may not, and looks for what is not for this lane.

Arguments: folders to search for other lanes' tokens and for the text of others' messages, joined by colons; the folder of this
lane's own part of the radio; the hub's socket; the common end of all texts. Prints what it found.
"""

import json
import os
import re
import socket
import stat
import sys

TOKEN = re.compile(rb"Bearer ([^\"\s]+)")
found: dict[str, set[bytes]] = {"tokens": set(), "texts": set()}


def ask(path: str, token: bytes, operation: str, fields: dict[str, object]) -> dict[str, object]:
    body = json.dumps(fields).encode()
    head = f"POST /v1/{operation} HTTP/1.1\r\nHost: radio\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(5)
        try:
            asking.connect(path)
            asking.sendall(head.encode() + b"Authorization: Bearer " + token + b"\r\nConnection: close\r\n\r\n" + body)
            answer = b""
            while piece := asking.recv(65536):
                answer += piece
            print(operation, answer.split(b"\r\n", 1)[0].decode())
            look(answer)
            got: dict[str, object] = json.loads(answer.partition(b"\r\n\r\n")[2])
            return got
        except (OSError, ValueError):
            return {}


def look(data: bytes) -> None:
    found["texts"].update(re.findall(rb"private-" + END, data))
    found["tokens"].update(TOKEN.findall(data))


def search(top: str) -> None:
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys", "/usr")]
        for name in files:
            try:
                descriptor = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NONBLOCK)
                if stat.S_ISREG(os.fstat(descriptor).st_mode):
                    look(os.read(descriptor, 4 << 20))
                os.close(descriptor)
            except OSError:
                continue


def own_token(folder: str) -> bytes:
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                if match := TOKEN.search(file.read()):
                    return match[1]
    return b""


def say(path: str, token: bytes, text: str, more: dict[str, object]) -> None:
    thread = ask(path, token, "create_thread", {"name": text, "participants": [], **more}).get("thread", text)
    ask(path, token, "send_message", {"thread": thread, "content": text, "mentions": [], **more})


tops, lane, hub, end = sys.argv[1:]
END = end.encode()
own = own_token(lane)
for each in tops.split(":"):
    search(each)
for each_token in found["tokens"] - {own}:
    say(hub, each_token, f"stolen-{end}", {})
for claim in ("from", "sender", "author", "lane", "origin"):
    say(hub, own, f"posed-{end}", {claim: "b"})
for number in range(1, 12):
    ask(hub, own, "send_message", {"thread": f"t{number}", "content": f"intruded-{end}", "mentions": []})
    ask(hub, own, "inbox", {"thread": f"t{number}", "peek": True, "participant": "b"})
for operation in ("finish", "signal", "state", "events", "shutdown"):
    ask(hub, own, operation, {"lane": "b", "kind": "cancel", "text": f"ordered-{end}", "reason": f"ordered-{end}", "after": 0})
print("found", *(text.decode() for text in found["texts"]))
