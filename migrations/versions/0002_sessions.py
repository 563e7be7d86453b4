"""Sessions: merges, promotions, their evidence, constraints and what was undone

Revision 0002, after 0001.
"""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("""
    CREATE TABLE session (
        session_id INTEGER NOT NULL,
        name VARCHAR NOT NULL,
        parent_id INTEGER,
        forked_at BIGINT CHECK (forked_at >= 0),
        method VARCHAR NOT NULL,
        parameters JSON NOT NULL,
        signature VARCHAR NOT NULL,
        status VARCHAR NOT NULL CHECK (status IN ('open', 'closed')),
        created_at TIMESTAMP NOT NULL,
        description VARCHAR NOT NULL,
        last_step BIGINT NOT NULL CHECK (last_step >= 0),
        last_hash UBIGINT NOT NULL,
        CHECK ((parent_id IS NULL) = (forked_at IS NULL))
    );
    """)
    op.execute("""
    CREATE TABLE merge (
        session_id INTEGER NOT NULL,
        step BIGINT NOT NULL CHECK (step >= 1),
        displaced_id INTEGER NOT NULL,
        leader_id INTEGER NOT NULL,
        reason VARCHAR NOT NULL
            CHECK (reason IN ('tested', 'forced', 'manual', 'clustered', 'must-merge')),
        cause BIGINT CHECK (cause >= 1 AND cause < step),
        hash UBIGINT NOT NULL,
        CHECK (displaced_id <> leader_id),
        CHECK ((reason = 'forced') = (cause IS NOT NULL))
    );
    """)
    op.execute("""
    CREATE TABLE promotion (
        session_id INTEGER NOT NULL,
        step BIGINT NOT NULL CHECK (step >= 1),
        nonterminal_id INTEGER NOT NULL,
        reason VARCHAR NOT NULL
            CHECK (reason IN ('tested', 'forced', 'manual', 'clustered', 'must-merge')),
        cause BIGINT CHECK (cause >= 1 AND cause < step),
        hash UBIGINT NOT NULL,
        CHECK ((reason = 'forced') = (cause IS NOT NULL))
    );
    """)
    op.execute("""
    CREATE TABLE evidence (
        session_id INTEGER NOT NULL,
        step BIGINT NOT NULL,
        context_id INTEGER NOT NULL,
        filler1_id INTEGER NOT NULL,
        filler2_id INTEGER NOT NULL,
        lhs1_id INTEGER,
        lhs2_id INTEGER,
        c1 DOUBLE NOT NULL,
        big_c1 DOUBLE NOT NULL,
        c2 DOUBLE NOT NULL,
        big_c2 DOUBLE NOT NULL,
        d DOUBLE NOT NULL CHECK (d >= 0 AND d < 'infinity'::DOUBLE),
        bound DOUBLE NOT NULL CHECK (bound < 'infinity'::DOUBLE),
        p_value DOUBLE CHECK (p_value >= 0 AND p_value <= 1),
        test VARCHAR NOT NULL CHECK (test IN ('hoeffding', 'fisher')),
        depth INTEGER NOT NULL CHECK (depth >= 0)
    );
    """)
    op.execute("""
    CREATE TABLE session_constraint (
        session_id INTEGER NOT NULL,
        kind VARCHAR NOT NULL CHECK (kind IN ('must', 'cannot')),
        first_id INTEGER NOT NULL,
        second_id INTEGER NOT NULL,
        CHECK (first_id < second_id)
    );
    """)
    op.execute("""
    CREATE TABLE undone_step (
        session_id INTEGER NOT NULL,
        entry BIGINT NOT NULL CHECK (entry >= 1),
        rewritten BIGINT NOT NULL CHECK (rewritten >= 0),
        step BIGINT NOT NULL CHECK (step >= 1),
        displaced_id INTEGER,
        leader_id INTEGER NOT NULL,
        reason VARCHAR NOT NULL,
        cause BIGINT,
        hash UBIGINT NOT NULL,
        context_id INTEGER,
        filler1_id INTEGER,
        filler2_id INTEGER,
        lhs1_id INTEGER,
        lhs2_id INTEGER,
        c1 DOUBLE,
        big_c1 DOUBLE,
        c2 DOUBLE,
        big_c2 DOUBLE,
        d DOUBLE,
        bound DOUBLE,
        p_value DOUBLE,
        test VARCHAR,
        depth INTEGER
    );
    """)
