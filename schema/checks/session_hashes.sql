-- Invariant: the hash of every step is that of what it says, its evidence and the hash of the step
-- before; and a session knows the hash of its last step.
-- Needs: session_step, step_hash
--
-- One row per step, and per end of a session, with another hash.
WITH own AS (
    SELECT session_id, step, displaced_id, leader_id, reason, cause, hash FROM merge
    UNION ALL
    SELECT session_id, step, NULL, nonterminal_id, reason, cause, hash FROM promotion
), fork AS (
    SELECT session.session_id, session_step.hash
    FROM session
    JOIN session_step
        ON session_step.session_id = session.session_id AND session_step.step = session.forked_at
), written AS (
    SELECT
        own.session_id,
        own.step,
        own.hash,
        coalesce(
            lag(own.hash) OVER (PARTITION BY own.session_id ORDER BY own.step), fork.hash, 0
        ) AS previous,
        [own.step, own.displaced_id, own.leader_id, md5_number_lower(own.reason), own.cause]
            ::UBIGINT[] AS words,
        CASE WHEN context_id IS NOT NULL THEN [
            context_id, filler1_id, filler2_id, lhs1_id, lhs2_id,
            c1::BIT::UBIGINT, big_c1::BIT::UBIGINT, c2::BIT::UBIGINT, big_c2::BIT::UBIGINT,
            d::BIT::UBIGINT, bound::BIT::UBIGINT, p_value::BIT::UBIGINT,
            md5_number_lower(test), depth
        ]::UBIGINT[] END AS evidence_words
    FROM own
    JOIN session ON session.session_id = own.session_id
    LEFT JOIN fork ON fork.session_id = own.session_id
    LEFT JOIN evidence ON evidence.session_id = own.session_id AND evidence.step = own.step
)
SELECT format('step {} of session {}', step, session_id) AS what
FROM written
WHERE hash <> step_hash(previous, words || coalesce(evidence_words, []))
UNION ALL
SELECT format('the end of session {}', session.session_id)
FROM session
LEFT JOIN session_step
    ON session_step.session_id = session.session_id AND session_step.step = session.last_step
WHERE session.last_hash <> coalesce(session_step.hash, 0);
