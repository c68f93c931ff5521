"""Finding memory by its words: folding, matching, picking terms, ranking. All of it is pure."""
