"""From text to core: reads `.dom` files and gives the checked meaning of a game."""
