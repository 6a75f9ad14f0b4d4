"""Why a row, a feature or a pair of another data set is not taken over: one code each, and the reason in words."""

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """What is wrong; docs/import-export.md says of each what it means."""

    MISSING_FILE = "missing-file"
    MISSING_FIELD = "missing-field"
    BAD_LIST = "bad-list"
    BAD_BASE = "bad-base"
    NO_SUCH_FEATURE = "no-such-feature"
    SAME_FEATURE = "same-feature"
    PATCH_MALFORMED = "patch-malformed"
    PATCH_EMPTY = "patch-empty"
    PATCH_BINARY = "patch-binary"
    PATCH_OUTSIDE_TREE = "patch-outside-tree"
    REFERENCE_DOES_NOT_APPLY = "reference-does-not-apply"
    TESTS_DO_NOT_APPLY = "tests-do-not-apply"
    TESTS_IN_REFERENCE = "tests-in-reference"
    TESTS_NOT_RUN = "tests-not-run"
    VACUOUS = "vacuous"
    REFERENCE_FAILS = "reference-fails"
    JOINT_FAILS = "joint-fails"
    SUBSUMED = "subsumed"
    FLAKY = "flaky"
    REGRESSING_REFERENCE = "regressing-reference"
    FAMILY_MISMATCH = "family-mismatch"
    SECOND_REQUIREMENT_MISSING = "second-requirement-missing"
    LEAK = "leak"
    UNPINNED_ENVIRONMENT = "unpinned-environment"
    UNSUPPORTED_LANGUAGE = "unsupported-language"
    NEEDS_DOCKER = "needs-docker"


@dataclass(frozen=True)
class Rejection:
    code: Code
    reason: str

    def __str__(self) -> str:
        return f"{self.code}: {self.reason}"


class RejectedError(Exception):
    """Something cannot be taken over."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.rejection = Rejection(code, " ".join(reason.split()))
