"""Members that things of the languages' own libraries have, so that a test that uses them demands nothing of the tree."""

import collections
import datetime
import io
import re
import threading
import types
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path

# What exceptions and processes get on being made, pytest's own fixtures and marks, and usual keywords of all of these.
_PYTHON = """
wait poll communicate terminate kill pid code args returncode stdout stderr stdin value match raises fixture mark parametrize
skipif xfail ids param params request readouterr out err text records messages caplog setattr setenv delenv chdir
syspath_prepend getvalue encoding errors newline key reverse default indent sort_keys ensure_ascii check capture_output
timeout cwd env input shell start end sep file exist_ok parents maxsplit keepends strict tzinfo days hours minutes seconds
microseconds flags count mode name path exc_info side_effect return_value call_count called
"""
# JavaScript's own objects, node's assert, test, fs, path, process and streams.
_JAVASCRIPT = """
length push pop shift unshift slice splice concat join map filter reduce reduceRight forEach find findIndex findLast
findLastIndex some every includes indexOf lastIndexOf sort toSorted reverse flat flatMap fill keys values entries at from of
isArray assign freeze isFrozen fromEntries getOwnPropertyNames getPrototypeOf setPrototypeOf defineProperty create
hasOwnProperty hasOwn prototype constructor toString valueOf toJSON call apply bind name message stack code cause get set has
delete add clear size next done value return then catch finally all allSettled race any resolve reject stringify parse now
getTime toISOString getFullYear UTC trim trimEnd trimStart split replace replaceAll match matchAll test exec startsWith endsWith
padStart padEnd repeat substring substr toUpperCase toLowerCase charAt charCodeAt codePointAt fromCharCode localeCompare
normalize raw toFixed isInteger isNaN isFinite floor ceil round abs max min random sign trunc sqrt pow log error warn info
iterator asyncIterator groups index source lastIndex equal notEqual strictEqual deepEqual deepStrictEqual notDeepEqual
notStrictEqual throws doesNotThrow rejects doesNotReject ok fail doesNotMatch before after beforeEach afterEach describe it skip
todo only mock timers enable tick reset fn calls arguments url meta dirname basename extname relative readFileSync writeFileSync
existsSync mkdtempSync mkdirSync rmSync readdirSync statSync appendFileSync tmpdir execPath argv env exitCode exit cwd platform
stdout stderr stdin status signal write end on once emit off spawnSync execFileSync byteLength buffer isBuffer alloc imul clz32
structuredClone subarray description performance
"""
# Go's testing, and the methods and fields of the types that tests use.
_GO = """
Helper Fatal Fatalf Error Errorf Log Logf Run TempDir Cleanup Setenv Skip Skipf Parallel Name Failed Fail FailNow Chdir String
Bytes Write WriteString Read ReadString Close Add Sub Unix UnixNano Equal Before After Truncate Round Format UTC In Year Month
Day Hour Minute Second Nanosecond Weekday IsZero Seconds Minutes Hours Milliseconds Len Cap Reset Lock Unlock Wait Done Go Err
Unwrap Is As Scan Text Buffer Stdout Stderr Stdin Dir Env Args Start Process Kill Signal CombinedOutput Output ExitCode
ProcessState Header Body StatusCode Accept Addr Dial LocalAddr RemoteAddr SetDeadline Listener Flush Next Elem Kind Type Value
Mode Size IsDir ModTime Perm Join Int63 Intn Float64 Uint64 Int64 Stat Sync Seek Encode Decode Keys Match MatchString
FindStringSubmatch ReplaceAllString Load Store Sum FindString FindAllString FindAllStringSubmatch FindStringIndex ReadAll
ReadLine WriteByte WriteRune ReadByte Comma Records Path Op Func Int Int31n Date YearDay Compare Interface Field NumField Copy
Print Printf Println Once Do RLock RUnlock CompareAndSwap Swap SetReadDeadline SetWriteDeadline
"""

PYTHON_WORDS = frozenset(_PYTHON.split()).union(
    *(
        dir(kind)
        for kind in (
            *(
                str,
                bytes,
                bytearray,
                int,
                float,
                complex,
                list,
                dict,
                set,
                frozenset,
                tuple,
                slice,
                range,
                type,
                property,
                memoryview,
            ),
            *(BaseException, OSError, UnicodeDecodeError, ImportError, SyntaxError, KeyError, StopIteration, SystemExit),
            *(Path, io.StringIO, io.BytesIO, io.TextIOWrapper, re.Pattern, re.Match, collections.deque, collections.Counter),
            *(datetime.datetime, datetime.date, datetime.timedelta, Decimal, threading.Thread, threading.Event),
            *(types.FunctionType, types.ModuleType, types.GeneratorType, HTMLParser),
        )
    )
)
CURLY_WORDS = frozenset(_JAVASCRIPT.split() + _GO.split())
