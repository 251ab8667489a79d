"""The author's desk: a chapter's text, its build, its bank of answers."""
