"""Doors for whoever learns: their notebooks and what is done in each."""
