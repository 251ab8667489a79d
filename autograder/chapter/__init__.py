"""What a chapter is, as text and as notebook: the format that all other rooms read."""
