"""Merging sessions: named, durable sequences of steps, with undo, branches and reasons."""
