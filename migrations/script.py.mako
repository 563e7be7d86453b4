"""${message}

Revision ${up_revision}, after ${down_revision | comma,n}.

Rules for authors (then delete this paragraph):

- A released migration never changes: stores in the world have gone through it. Its SQL is its own
  text, never read from schema/, which moves on.
- Change schema/tables to match, and add the revision to REVISIONS in grammar_store/store/schema.py:
  a fresh store is made from schema/ alone, and a test holds the two catalogues equal, down to the
  order of columns.
- Leave out views and macros: they are made anew from schema/ afterwards. Only one that is gone for
  good is dropped here, by name.
- The whole upgrade is one transaction after a verified backup. Never commit, and never catch an
  error: DuckDB gives up the transaction on any error.
- ADD COLUMN takes constant defaults only, and ALTER cannot add a CHECK: else make a new table,
  INSERT INTO ... SELECT, drop the old one, rename. Where an index or another entry depends on a
  table, drop that first and make it again.
- No primary keys, foreign keys or indexes on tables that grow or are updated.
- Work in a few large statements: tables have tens of millions of rows.
- There is no downgrade: the way back is the backup.
"""

from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    op.execute("""
    """)
