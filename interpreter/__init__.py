"""From core to play: evaluates states, applies moves and records transcripts."""
