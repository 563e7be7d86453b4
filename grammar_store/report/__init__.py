"""Reports: one page about a session, complete in one file."""
