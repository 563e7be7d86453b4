"""Grammar: the bitext and the rules taken from it

Revision 0001, the first.
"""

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.execute("""
    CREATE TABLE bitext (
        sentence_id INTEGER NOT NULL,
        source VARCHAR NOT NULL,
        target VARCHAR NOT NULL,
        alignment VARCHAR NOT NULL,
        source_classes VARCHAR,
        target_classes VARCHAR
    );
    """)
    op.execute("""
    CREATE TABLE skipped_sentence (
        sentence_id INTEGER NOT NULL,
        reason VARCHAR NOT NULL
    );
    """)
    op.execute("""
    CREATE TABLE nonterminal (
        nonterminal_id INTEGER NOT NULL,
        source VARCHAR NOT NULL,
        target VARCHAR NOT NULL,
        count BIGINT NOT NULL CHECK (count >= 1),
        rule_count BIGINT NOT NULL CHECK (rule_count >= 0),
        height INTEGER NOT NULL CHECK (height >= 0),
        sentences BIGINT NOT NULL CHECK (sentences >= 1)
    );
    """)
    op.execute("""
    CREATE TABLE occurrence (
        nonterminal_id INTEGER NOT NULL,
        sentence_id INTEGER NOT NULL,
        source_start USMALLINT NOT NULL,
        source_end USMALLINT NOT NULL,
        target_start USMALLINT NOT NULL,
        target_end USMALLINT NOT NULL
    );
    """)
    op.execute("""
    CREATE TABLE glue (
        nonterminal_id INTEGER NOT NULL,
        count BIGINT NOT NULL CHECK (count >= 1)
    );
    """)
    op.execute("""
    CREATE TABLE context (
        context_id INTEGER NOT NULL,
        source VARCHAR NOT NULL,
        target VARCHAR NOT NULL,
        energy DOUBLE NOT NULL CHECK (energy > 0 AND energy < 'infinity'::DOUBLE)
    );
    """)
    op.execute("""
    CREATE TABLE rule (
        rule_id BIGINT NOT NULL,
        lhs_id INTEGER NOT NULL,
        count DOUBLE NOT NULL CHECK (count > 0 AND count < 'infinity'::DOUBLE),
        gaps UTINYINT NOT NULL
    );
    """)
    op.execute("""
    CREATE TABLE slot (
        rule_id BIGINT NOT NULL,
        position UTINYINT NOT NULL,
        nonterminal_id INTEGER NOT NULL,
        context_id INTEGER NOT NULL
    );
    """)
    op.execute("""
    CREATE TABLE build (
        version VARCHAR NOT NULL,
        signature VARCHAR NOT NULL,
        options JSON NOT NULL,
        inputs JSON NOT NULL,
        sentences BIGINT NOT NULL,
        skipped BIGINT NOT NULL,
        prune_alpha DOUBLE,
        prune_fisher BOOLEAN
    );
    """)
