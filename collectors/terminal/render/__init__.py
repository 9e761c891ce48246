"""Renderers of terminal bytes: pure folds, used live and by projections."""
