"""Evidence as it can be written in a store, at random."""

from __future__ import annotations

from hypothesis import strategies as st

from grammar_store.sessions.steps import Evidence

#: a non-terminal of the small store
ID = st.integers(1, 17)

EVIDENCE = st.none() | st.builds(
    Evidence,
    st.integers(1, 3),
    ID,
    ID,
    st.none() | ID,
    st.none() | ID,
    *[st.floats(0, 1e300) for _ in range(5)],
    st.floats(0, 1),
    st.none() | st.floats(0, 1),
    st.sampled_from(["hoeffding", "fisher"]),
    st.integers(0, 5),
)
