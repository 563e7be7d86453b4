"""Inputs that must be refused with one clean message, and random damage to valid ones.

`malformed_inputs` is a kept list: every kind of error, in every file it can be in, at the
first, a middle and the last line, plain and compressed. `mutated_inputs` is a fuzzer.
"""

from __future__ import annotations

import gzip
import lzma
import random
import re
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pyarrow as pa

from grammar_store.bitext import BitextFiles

TEXTS = {
    "source": ["das neue Haus", "ein Haus", "das Auto ist neu", "ein Auto", "das Haus ist neu"],
    "target": ["the new house", "a house", "the car is new", "a car", "the house is new"],
    "alignment": ["0-0 1-1 2-2", "0-0 1-1", "0-0 1-1 2-2 3-3", "0-0 1-1", "0-0 1-1 2-2 3-3"],
    "source_factors": ["D A N", "D N", "D N V A", "D N", "D N V A"],
    "target_factors": ["d a n", "d n", "d n v a", "d n", "d n v a"],
    "source_classes": ["das\t2", "ein\t2", "neue\t4", "neu\t4", "ist\t3", "Haus\t5", "Auto\t5"],
    "target_classes": ["the\t2", "a\t2", "new\t4", "is\t3", "house\t5", "car\t5"],
}
TEXTS["combined"] = [
    " ||| ".join(fields)
    for fields in zip(TEXTS["source"], TEXTS["target"], TEXTS["alignment"], strict=True)
]
THREE_FILES = ("source", "target", "alignment")
OPTIONAL_ROLES = ("source_factors", "target_factors", "source_classes", "target_classes")
ROLES = (*THREE_FILES, "combined", *OPTIONAL_ROLES)

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".xz": lambda data: lzma.compress(data, preset=0),
    ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}
COMPRESSED = {".gz": "gzip", ".xz": "xz", ".zst": "zstd"}


@dataclass(frozen=True)
class MalformedInput:
    """An input to refuse.

    Attributes
    ----------
    name
        What is wrong with it; different for each.
    arguments
        What follows ``grammar-store build``, but for the option ``--store``.
    expect
        A regular expression that the message matches somewhere.
    """

    name: str
    arguments: list[str]
    expect: str


def bitext_files(arguments: list[str]) -> BitextFiles:
    """The files that the arguments of an input name."""
    parser = ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("target", nargs="?")
    parser.add_argument("alignment", nargs="?")
    for role in OPTIONAL_ROLES:
        parser.add_argument(_option(role))
    return BitextFiles(**vars(parser.parse_args(arguments)))


def content(role: str) -> bytes:
    """The valid content of a file."""
    return _joined(TEXTS[role])


def write_input(folder: Path, changed: dict[str, bytes | None], compression: str = "") -> list[str]:
    """Write a valid bitext but for the changed files (None: do not write); the arguments."""
    folder.mkdir(parents=True)
    main = ("combined",) if "combined" in changed else THREE_FILES
    optional = tuple(role for role in OPTIONAL_ROLES if role in changed)
    for role in (*main, *optional):
        data = changed[role] if role in changed else COMPRESS[compression](content(role))
        if data is not None:
            (folder / file_name(role, compression)).write_bytes(data)
    arguments = [str(folder / file_name(role, compression)) for role in main]
    for role in optional:
        arguments += [_option(role), str(folder / file_name(role, compression))]
    return arguments


def file_name(role: str, compression: str = "") -> str:
    return f"{role}.txt{compression}"


def malformed_inputs(folder: Path) -> Iterator[MalformedInput]:
    """Write the kept malformed inputs into a folder, one after another."""
    for part in (
        _not_text,
        _links,
        _lengths,
        _line_counts,
        _compressed_data,
        _unreadable,
        _fields,
        _factors,
        _classes,
        _sizes,
    ):
        yield from part(_Cases(folder / part.__name__.strip("_")))


def mutated_inputs(folder: Path, seed: int, number: int) -> Iterator[MalformedInput]:
    """Damage a valid bitext at random; some come out valid, so nothing is expected."""
    chance = random.Random(seed)
    for case in range(number):
        compression = chance.choice(["", ".gz"])
        main = chance.choice([("combined",), THREE_FILES])
        optional = chance.sample(OPTIONAL_ROLES, k=chance.choice([0, 1]))
        files = {role: content(role) for role in (*main, *optional)}
        # Half of the damage to compressed files is done to their text, half to their bytes.
        inside = chance.random() < 0.5
        if not inside:
            files = {role: COMPRESS[compression](data) for role, data in files.items()}
        for _ in range(chance.randint(1, 3)):
            role = chance.choice(list(files))
            mutation = chance.choice(_MUTATIONS)
            files[role] = mutation(files[role], chance)
        if inside:
            files = {role: COMPRESS[compression](data) for role, data in files.items()}
        arguments = write_input(folder / f"{seed}-{case}", dict(files), compression)
        yield MalformedInput(f"mutated {seed}-{case}", arguments, expect="")


class _Cases:
    """Writes inputs, each into a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._number = 0
        self.positions = cycle(["first", "middle", "last"])
        self.compressions = cycle(COMPRESS)

    def next_folder(self) -> Path:
        self._number += 1
        return self.folder / str(self._number)

    def case(
        self,
        name: str,
        message: str,
        changed: dict[str, bytes | None],
        at: tuple[str, int | None],
        compression: str = "",
    ) -> MalformedInput:
        """Files with changed bytes, and the file and line that the message must name."""
        role, line = at
        place = file_name(role, compression) + ("" if line is None else f":{line}")
        arguments = write_input(self.next_folder(), changed, compression)
        return MalformedInput(
            f"{name}, {place}", arguments, expect=rf"/{re.escape(place)}: {message}"
        )

    def text_case(
        self,
        name: str,
        message: str,
        changed: dict[str, bytes],
        at: tuple[str, int | None],
    ) -> MalformedInput:
        """The same with changed text, compressed in one way after another."""
        compression = next(self.compressions)
        files = {role: COMPRESS[compression](data) for role, data in changed.items()}
        return self.case(name, message, dict(files), at, compression)

    def line_case(
        self, name: str, message: str, role: str, position: str, line: bytes
    ) -> MalformedInput:
        """The same with one line changed."""
        lines = [text.encode() for text in TEXTS[role]]
        number = {"first": 1, "middle": (len(lines) + 1) // 2, "last": len(lines)}[position]
        lines[number - 1] = line
        return self.text_case(name, message, {role: b"\n".join(lines) + b"\n"}, (role, number))


def _not_text(cases: _Cases) -> Iterator[MalformedInput]:
    bad = cycle([b"\xff", b"\x80", b"\xc0\xaf", b"\xed\xa0\x80", b"\xe2\x82", b"\xf4\x90\x80\x80"])
    for role in ROLES:
        for position in ("first", "middle", "last"):
            sequence = next(bad)
            message = rf"invalid UTF-8 at byte 3 of the line \(0x{sequence[0]:02x}\)"
            name = f"invalid UTF-8 {sequence.hex()}"
            yield cases.line_case(name, message, role, position, b"ab" + sequence + b" c")
        position = next(cases.positions)
        yield cases.line_case("NUL", "NUL at byte 2 of the line", role, position, b"a\0b c")
    for role in (*THREE_FILES, "combined"):
        data = "\ufeff".encode("utf-16-le") + TEXTS[role][0].encode("utf-16-le")
        message = "invalid UTF-8 at byte 1 .*UTF-16"
        yield cases.line_case("UTF-16", message, role, "first", data)


def _links(cases: _Cases) -> Iterator[MalformedInput]:
    for link in (
        *("0", "0-", "-0", "-", "--", "0--0", "0-0-0", "a-b", "0-x", "0:0", "0,0", "0/0", "0|0"),
        *("+0-0", "0-+0", "0.0-0", "0x0-0", "0_0-0", "1e0-0", "0-0p", "(0-0)", "0-0,1-1", "NULL"),
        *("000000-0", "0-100000", "123456-1", "99999999999999999999-0", "0-" + "9" * 1000),
        *("٠-٠", "０-０", "²-0", "0‑0", "0–0", "0−0", "0-0\t1-1", "0-0\u00a01-1", "0-0\u2028"),
        *("\ufeff0-0", "0-0\v", "0-0\x85", "0-0\\", "'0-0'", "\t", "0\r-0"),
    ):
        role = "alignment" if len(link) % 2 else "combined"
        position = next(cases.positions)
        before = TEXTS["combined"][0].rpartition(" ")[0] + " " if role == "combined" else "0-0 "
        message = re.escape("link " + repr(link[:60])) + r"(\.\.\.)? is not of the form i-j$"
        name = f"malformed link {link[:20]!r}"
        yield cases.line_case(name, message, role, position, (before + link).encode())
    for role in ("alignment", "combined"):
        message = r"link '.*\\r' is not of the form i-j: the line ends with a carriage return"
        name = "carriage return after links"
        data = "\r\n".join(TEXTS[role]).encode()
        yield cases.text_case(name, message, {role: data}, (role, 1))
        for position in ("middle", "last"):
            line = "a ||| a ||| 0-0\r" if role == "combined" else "0-0\r"
            yield cases.line_case(name, message, role, position, line.encode())


def _lengths(cases: _Cases) -> Iterator[MalformedInput]:
    """Links that point outside the sentences."""
    numbers = {"first": 1, "middle": 3, "last": 5}
    for role in ("alignment", "combined"):
        for position, number in numbers.items():
            length = len(TEXTS["source"][number - 1].split(" "))
            for link in (f"{length}-0", f"0-{length}", f"{length}-{length}", "99999-99999"):
                line = TEXTS[role][number - 1] + f" {link}"
                message = (
                    f"link {link} points outside the sentences: "
                    f"the source has {length} words and the target {length},"
                )
                yield cases.line_case(f"link {link}", message, role, position, line.encode())
    for role in ("source", "target"):
        for number in numbers.values():
            lines = list(TEXTS[role])
            lines[number - 1] = ""
            yield cases.text_case(
                f"empty line in {role}",
                "link 0-0 points outside",
                {role: _joined(lines)},
                ("alignment", number),
            )


def _line_counts(cases: _Cases) -> Iterator[MalformedInput]:
    for role in (*THREE_FILES, "source_factors", "target_factors"):
        other = "target" if role == "source" else "source"
        lines = TEXTS[role]
        goes_on = r"the file ends with this line, but .*{}\.txt\S* goes on"
        for missing in (1, 2, 4):
            data = _joined(lines[:-missing])
            at = (role, len(lines) - missing)
            message = goes_on.format(other)
            yield cases.text_case(f"{missing} lines too few", message, {role: data}, at)
        name = f"{role} too long"
        at = (other, len(lines))
        message = goes_on.format(role)
        yield cases.text_case(name, message, {role: content(role) + b"\n"}, at)
        message = rf"the file is empty, but .*{other}\.txt\S* is not"
        yield cases.text_case("one file empty", message, {role: b""}, (role, None))
    message = "the file is empty: there is no sentence pair to read"
    for roles in (("combined",), THREE_FILES):
        for _ in COMPRESS:
            nothing = dict.fromkeys(roles, b"")
            yield cases.text_case("all files empty", message, nothing, (roles[0], None))


def _compressed_data(cases: _Cases) -> Iterator[MalformedInput]:
    for compression, kind in COMPRESSED.items():
        damaged = f"the {kind} data are cut off or damaged: ."
        foreign = f"is named {compression} but does not begin as {kind} data do"
        for role in ROLES:
            data = COMPRESS[compression](content(role))
            for name, part in (("half", data[: len(data) // 2]), ("all but a byte", data[:-1])):
                case = cases.case(name, damaged, {role: part}, (role, None), compression)
                yield _anywhere(case, role, compression)
        for role, name, part in (
            ("source", "one byte", b"\x1f"),
            ("target", "nothing", b""),
            ("alignment", "not compressed", content("alignment")),
            ("combined", "foreign compression", b"BZh91AY&SY\0\0\0"),
        ):
            yield cases.case(name, foreign, {role: part}, (role, None), compression)
        for role in ("source", "alignment", "combined", "target_classes"):
            data = COMPRESS[compression](content(role)) + b"what follows"
            case = cases.case("more data", damaged, {role: data}, (role, None), compression)
            yield _anywhere(case, role, compression)
            data = _broken(compression, COMPRESS[compression](content(role)))
            case = cases.case("damage", damaged, {role: data}, (role, None), compression)
            yield _anywhere(case, role, compression)
    for role in THREE_FILES:
        # The name says nothing of the compression: the first bytes do.
        for kind, compression in (("gzip", ".gz"), ("xz", ".xz"), ("zstd", ".zst")):
            data = COMPRESS[compression](content(role))[:-3]
            message = f"the {kind} data are cut off or damaged"
            case = cases.case(f"{kind} unnamed", message, {role: data}, (role, None))
            yield _anywhere(case, role, "")


def _anywhere(case: MalformedInput, role: str, compression: str) -> MalformedInput:
    """The same, at whichever line the decompressor notices."""
    name = re.escape(file_name(role, compression))
    return MalformedInput(case.name, case.arguments, case.expect.replace(name, name + r":\d+", 1))


def _broken(compression: str, data: bytes) -> bytes:
    """A check sum that is wrong, or for zstd, which may have none, a reserved bit that is set."""
    at, bit = (4, 0x08) if compression == ".zst" else (-6, 0x01)
    damaged = bytearray(data)
    damaged[at] ^= bit
    return bytes(damaged)


def _unreadable(cases: _Cases) -> Iterator[MalformedInput]:
    def missing(path: Path) -> None: ...

    def loop(path: Path) -> None:
        path.symlink_to(path)

    def dangling(path: Path) -> None:
        path.symlink_to(path.with_name("nowhere"))

    for role in ROLES:
        for make, message in (
            (missing, "No such file or directory"),
            (Path.mkdir, "Is a directory"),
            (loop, "Too many levels of symbolic links"),
            (dangling, "No such file or directory"),
        ):
            case = cases.case(
                make.__name__, f"cannot be read: {message}", {role: None}, (role, None)
            )
            make(Path(case.arguments[-1 if role in OPTIONAL_ROLES else _index(role)]))
            yield case
    for role in THREE_FILES:
        for name, wrong, message in (
            ("below a file", "target.txt/text", "Not a directory"),
            ("a long name", "x" * 300, "File name too long"),
        ):
            arguments = write_input(cases.next_folder(), {})
            arguments[_index(role)] = str(Path(arguments[0]).parent / wrong)
            expect = f"/{wrong}: cannot be read: {message}"
            yield MalformedInput(f"{name}, {role}", arguments, expect)


def _fields(cases: _Cases) -> Iterator[MalformedInput]:
    for line, number in (
        ("", 1),
        ("a b 0-0", 1),
        ("a ||| a", 2),
        ("a ||| ||| a ||| 0-0", 4),
        ("a ||| a ||| 0-0 ||| x", 4),
        ("a ||| a ||| 0-0 |||", 4),
        ("a|||a|||0-0", 1),
        ("a ||| a |||0-0", 2),
        ("a || a || 0-0", 1),
        ("a |||| a |||| 0-0", 1),
        ("a\t|||\ta\t|||\t0-0", 1),
        ("a\ta\t0-0", 1),
        ("a\u00a0|||\u00a0a ||| 0-0", 2),
        ("a ||| a |||\r", 2),
    ):
        for position in ("first", "middle", "last"):
            message = f"{number} fields? instead of 3"
            name = f"combined line {line!r}"
            yield cases.line_case(name, message, "combined", position, line.encode())


def _factors(cases: _Cases) -> Iterator[MalformedInput]:
    for side in ("source", "target"):
        for position, words in (("first", 3), ("middle", 4), ("last", 4)):
            for factors in (0, words - 1, words + 1):
                line = " ".join(["F"] * factors).encode()
                message = rf"{factors} factors for the {words} words of this line in .*/{side}\.txt"
                name = f"{factors} factors for {words} words"
                yield cases.line_case(name, message, f"{side}_factors", position, line)


def _classes(cases: _Cases) -> Iterator[MalformedInput]:
    for side, word in (("source", "Haus"), ("target", "house")):
        role = f"{side}_classes"
        for line in ("", "word", "word 7", "word\t", "\t7", "\t", "a\t7\t8", "a b\t7", "a\t7 8"):
            message = re.escape(f"{line!r} is not of the form word TAB class")
            position = next(cases.positions)
            yield cases.line_case(f"class {line!r}", message, role, position, line.encode())
        for position in ("first", "middle", "last"):
            message = "the line ends with a carriage return"
            yield cases.line_case("carriage return", message, role, position, b"word\t7\r")
        first = TEXTS[role][0].partition("\t")[0]
        for position in ("middle", "last"):
            message = f"word '{first}' has class '9' here and '2' above"
            line = f"{first}\t9".encode()
            yield cases.line_case("two classes", message, role, position, line)
        for number, line in enumerate(TEXTS[side], start=1):
            new = line.split(" ")[0] + str(number)
            changed = list(TEXTS[side])
            changed[number - 1] = line.replace(line.split(" ")[0], new, 1)
            message = rf"word '{new}' has no class in .*/{role}\.txt"
            files = {side: _joined(changed), role: content(role)}
            yield cases.text_case("word without class", message, files, (side, number))
        rest = _joined([line for line in TEXTS[role] if not line.startswith(word + "\t")])
        message = rf"word '{word}' has no class in .*/{role}\.txt"
        yield cases.text_case("class missing", message, {role: rest}, (side, 1))
        message = "the file is empty: it must give the class of every word"
        yield cases.text_case("no classes", message, {role: b""}, (role, None))


def _sizes(cases: _Cases) -> Iterator[MalformedInput]:
    words = b"a " * 60_001
    for role in ("source", "target", "combined"):
        for position in ("first", "last"):
            line = words + b"||| a ||| 0-0" if role == "combined" else words
            message = "60001 words in a sentence: the most is 60000"
            yield cases.line_case("too many words", message, role, position, line)
    bomb = b"a" * (16 * 2**20 + 1)
    for compression, role in ((".gz", "source"), (".xz", "target"), (".zst", "alignment")):
        data = COMPRESS[compression](content(role) + bomb)
        message = "the line is longer than 16777216 bytes"
        yield cases.case("too long a line", message, {role: data}, (role, 6), compression)


def _flip(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randint(0, len(data))]


def _insert(data: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + chance.randbytes(chance.randint(1, 4)) + data[at:]


def _insert_special(data: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(data))
    pieces = [b"\n", b"\r", b"\0", b" ", b"-", b"|||", b" ||| ", b"\t", b"9", b"\xe2\x80\xa8"]
    return data[:at] + chance.choice(pieces) + data[at:]


def _delete(data: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + data[at + chance.randint(1, 4) :]


def _delete_line(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    del lines[chance.randrange(len(lines))]
    return b"\n".join(lines)


def _swap_lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


_MUTATIONS = [_flip, _cut, _insert, _insert_special, _delete, _delete_line, _swap_lines]


def _index(role: str) -> int:
    return 0 if role == "combined" else THREE_FILES.index(role)


def _option(role: str) -> str:
    return "--" + role.replace("_", "-")


def _joined(lines: list[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()
