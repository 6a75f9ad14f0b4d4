"""Signoff: documents, who may move them on, and a record of who did."""

from signoff.errors import Forbidden, Invalid, NotFound, SignoffError, WrongState
from signoff.model import Action, Classification, Document, State
from signoff.service import Service

__all__ = [
    "Action",
    "Classification",
    "Document",
    "Forbidden",
    "Invalid",
    "NotFound",
    "Service",
    "SignoffError",
    "State",
    "WrongState",
]
