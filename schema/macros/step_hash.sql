-- The hash of a step: over the step, its evidence and the hash of the step before. It is there to
-- find rows that were lost or changed by accident.
--
-- Parameters
--   previous  the hash of the step before, 0 for the first
--   words     the step as a list of UBIGINT: step, displaced_id, leader_id, reason, cause, and if
--             there is evidence, its columns from context_id to depth. Numbers with a fraction by
--             their bits, text by md5_number_lower, and NULL for NULL
--
-- One value, a UBIGINT.
--
-- Each word is mixed in by an exclusive or, a multiplication modulo 2^64 by an odd number and a shift:
-- all of these can be turned back, so a change of one word always shows in the end.
CREATE OR REPLACE MACRO step_hash(previous, words) AS
list_reduce(
    list_transform(words, lambda word: coalesce(word, 18446744073709551615)::UHUGEINT),
    lambda hash, word: xor(
        (xor(hash, word) * 13787848793156543929::UHUGEINT) & 18446744073709551615::UHUGEINT,
        ((xor(hash, word) * 13787848793156543929::UHUGEINT) & 18446744073709551615::UHUGEINT) >> 32
    ),
    previous::UHUGEINT
)::UBIGINT;
