"""What was handed in: notebooks and archives, read with care."""
