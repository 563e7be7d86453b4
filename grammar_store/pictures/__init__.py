"""Pictures of grammars and sessions; they need matplotlib (``pip install 'grammar-store[plot]'``).

Every function gives a `matplotlib.figure.Figure` of its own: nothing is shown or kept by pyplot.
A notebook shows what a cell ends with.
"""

from grammar_store.pictures.classes import class_sizes, dissimilarity_matrix
from grammar_store.pictures.growth import growth
from grammar_store.pictures.history import merge_history
from grammar_store.pictures.tree import merge_tree
from grammar_store.pictures.waterfall import waterfall

__all__ = [
    "class_sizes",
    "dissimilarity_matrix",
    "growth",
    "merge_history",
    "merge_tree",
    "waterfall",
]
