"""From core to verdicts: asks a solver what holds in every deal and every line of play."""
