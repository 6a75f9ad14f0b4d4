"""Finding documents by words and properties."""

from __future__ import annotations

from collections.abc import Iterable

from signoff.model import Classification, Document, State


def matches(
    document: Document,
    words: Iterable[str] = (),
    author: str | None = None,
    state: State | None = None,
    classification: Classification | None = None,
) -> bool:
    """Whether all that was asked for holds; words are looked for in title and text, in any case of letters."""
    if author is not None and document.author != author:
        return False
    if state is not None and document.state is not state:
        return False
    if classification is not None and document.classification is not classification:
        return False
    haystack = f"{document.title}\n{document.text}".casefold()
    return all(word.casefold() in haystack for word in words)


def search(documents: Iterable[Document], query: str) -> list[Document]:
    """Documents for a query such as ``heating author:mt state:draft class:internal``."""
    words: list[str] = []
    author: str | None = None
    state: State | None = None
    classification: Classification | None = None
    for part in query.split():
        key, colon, value = part.partition(":")
        if colon and key == "author":
            author = value
        elif colon and key == "state":
            state = State.parse(value)
        elif colon and key == "class":
            classification = Classification.parse(value)
        else:
            words.append(part)
    return [document for document in documents if matches(document, words, author, state, classification)]
