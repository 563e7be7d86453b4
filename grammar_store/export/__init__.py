"""Grammars in the files that decoders read, and tables and graphs in files that all read."""
