"""What Alembic runs: the migrations, on the connection and in the transaction of the caller."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    # DuckDB keeps a primary key by an index, and indexed rows that are updated are a risk.
    version_table_pk=False,
)
with context.begin_transaction():
    context.run_migrations()
