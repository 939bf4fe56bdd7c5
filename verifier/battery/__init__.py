"""The battery: what `dom verify` checks without being asked. One module a group, one function an item."""
