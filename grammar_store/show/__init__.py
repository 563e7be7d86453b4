"""How grammars look: text that is safe anywhere, and rules as people read them."""
