"""Malformed inputs give one clean error, and random damage nothing worse."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import pytest
from malformed import (
    COMPRESS,
    OPTIONAL_ROLES,
    THREE_FILES,
    bitext_files,
    content,
    malformed_inputs,
    mutated_inputs,
    write_input,
)

from grammar_store.bitext import read_bitext
from grammar_store.errors import InputError


@pytest.mark.parametrize("compression", COMPRESS)
def test_the_undamaged_input_is_fine(tmp_path: Path, compression: str) -> None:
    for number, role in enumerate(("source", "combined", *OPTIONAL_ROLES)):
        data = COMPRESS[compression](content(role))
        arguments = write_input(tmp_path / str(number), {role: data}, compression)
        corpus, report = read_bitext(bitext_files(arguments))
        assert (len(corpus), report.notes) == (5, [])


def test_every_malformed_input_is_refused(tmp_path: Path) -> None:
    names, contents = set(), set()
    for case in malformed_inputs(tmp_path):
        files = bitext_files(case.arguments)
        with pytest.raises(InputError) as raised:
            read_bitext(files)
        message = str(raised.value)
        assert re.search(case.expect, message), (case.name, message)
        assert len(message.splitlines()) == 1, case.name
        names.add(case.name)
        contents.add(_digest(case.arguments))
    assert len(names) >= 150
    assert len(contents) == len(names)


def _digest(arguments: list[str]) -> str:
    """What is given, up to the folder: names, contents and kinds of all files."""
    digest = hashlib.sha256()
    for argument in arguments:
        digest.update(os.path.basename(argument).encode() + b"\0%d" % os.path.islink(argument))
        try:
            digest.update(Path(argument).read_bytes())
        except OSError as problem:
            digest.update(b"%d" % problem.errno)
    return digest.hexdigest()


def test_random_damage_gives_a_corpus_or_an_input_error(tmp_path: Path) -> None:
    refused = []
    for case in mutated_inputs(tmp_path, seed=20, number=300):
        try:
            corpus, report = read_bitext(bitext_files(case.arguments))
        except InputError as problem:
            refused.append((case, problem))
        else:
            assert len(corpus) == report.sentences > 0, case.name
    for case, problem in refused:
        assert len(str(problem).splitlines()) == 1, case.name
        assert problem.path in case.arguments, case.name
    assert 100 < len(refused) < 300  # the damage neither always nor never matters


def test_damage_can_be_repeated(tmp_path: Path) -> None:
    one, two = (
        [_digest(case.arguments) for case in mutated_inputs(tmp_path / name, 7, 20)]
        for name in ("one", "two")
    )
    assert one == two
    assert len(set(one)) == 20


def test_the_list_has_every_role_and_compression(tmp_path: Path) -> None:
    names = " ".join(case.name for case in malformed_inputs(tmp_path))
    for role in (*THREE_FILES, "combined", *OPTIONAL_ROLES):
        for compression in COMPRESS:
            assert re.search(rf" {role}\.txt{re.escape(compression)}\b", names)
