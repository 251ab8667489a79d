"""The competition: entries, the game that they are scored in, the standing."""
