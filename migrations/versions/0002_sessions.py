"""Sessions: merges, promotions and their evidence

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
        forked_at BIGINT,
        method VARCHAR NOT NULL,
        parameters JSON NOT NULL,
        signature VARCHAR NOT NULL,
        status VARCHAR NOT NULL,
        created_at TIMESTAMP NOT NULL
    );
    """)
    op.execute("""
    CREATE TABLE merge (
        session_id INTEGER NOT NULL,
        step BIGINT NOT NULL CHECK (step >= 1),
        displaced_id INTEGER NOT NULL,
        leader_id INTEGER NOT NULL,
        reason VARCHAR NOT NULL,
        CHECK (displaced_id <> leader_id)
    );
    """)
    op.execute("""
    CREATE TABLE promotion (
        session_id INTEGER NOT NULL,
        step BIGINT NOT NULL CHECK (step >= 1),
        nonterminal_id INTEGER NOT NULL,
        reason VARCHAR NOT NULL
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
