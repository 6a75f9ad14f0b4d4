"""The system calls that bubblewrap's lanes are refused: those of the kernel's keyrings.

A process inherits the session keyring of the bench, whatever namespaces it is in. Through it a lane would read the operator's
keys, and lanes would talk to each other. Docker's own profile refuses the same calls.
"""

import errno
import struct

# Of each architecture, as the kernel audits it: the first of add_key, request_key and keyctl, whose numbers follow one another.
_FIRST_OF_THREE = {
    0xC000003E: 248,  # x86-64, and x32, whose numbers have one bit more
    0x40000003: 286,  # 32-bit x86
    0xC00000B7: 217,  # 64-bit ARM
    0x40000028: 309,  # 32-bit ARM
    0xC00000F3: 217,  # 64-bit RISC-V
    0xC0000015: 269,  # 64-bit PowerPC, little-endian
    0x80000016: 278,  # s390x
}
_X32_BIT = 0x40000000
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4  # in the kernel's seccomp_data
_LOAD, _AND, _EQUAL, _GREATER, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x25, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOSYS


def keyring_filter() -> bytes:
    """A program for the kernel's seccomp, as `bwrap --seccomp` reads it: keyrings are as if the kernel had none."""
    program = [_instruction(_LOAD, _ARCHITECTURE_AT)]
    for architecture, first in _FIRST_OF_THREE.items():
        block = [
            _instruction(_LOAD, _NUMBER_AT),
            _instruction(_AND, ~_X32_BIT & 0xFFFFFFFF),
            _instruction(_AT_LEAST, first, otherwise=2),
            _instruction(_GREATER, first + 2, then=1),
            _instruction(_RETURN, _REFUSE),
            _instruction(_RETURN, _ALLOW),
        ]
        program += [_instruction(_EQUAL, architecture, otherwise=len(block)), *block]
    return b"".join([*program, _instruction(_RETURN, _ALLOW)])


def _instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction; a comparison that holds skips `then` more, one that does not `otherwise`."""
    return struct.pack("=HBBI", code, then, otherwise, value)
