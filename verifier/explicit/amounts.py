"""Numbers of which not all is known, in place of an `int`: a comparison that could go either way asks the world for an answer."""

from __future__ import annotations

from typing import Any, Protocol


class World(Protocol):
    """What is known of zones, and answers what is not."""

    def guess(self) -> bool: ...

    def some(self, zone: int, mask: int) -> bool: ...

    def between(self, zone: int) -> tuple[int, int]: ...

    def hold(self, zone: int, most: int) -> None: ...


class Anything:
    """A number of which nothing is known, nor of any that is computed from it: every comparison may go either way."""

    __slots__ = ("world",)

    def __init__(self, world: World) -> None:
        self.world = world

    def _computed(self, *_: Any) -> Any:
        return self

    def _compared(self, _: object) -> bool:
        return self.world.guess()

    def __divmod__(self, _: int) -> tuple[Any, Any]:
        return self, self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __mod__ = __neg__ = _computed
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compared
    __hash__ = None  # type: ignore[assignment]


class Amount:
    """How many tiles a zone holds of which that is not known: any number it is compared with may be above or below."""

    __slots__ = ("world", "zone")

    def __init__(self, world: World, zone: int) -> None:
        self.world, self.zone = world, zone

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int):
            return self.world.guess()
        least, most = self.world.between(self.zone)
        if other == 0:
            return not self.world.some(self.zone, -1)
        return least <= other <= most and (least == most or self.world.guess())

    def __gt__(self, other: Any) -> bool:
        if not isinstance(other, int):
            return self.world.guess()
        least, most = self.world.between(self.zone)
        if least > other or most <= other:
            return least > other
        if other == 0:
            return self.world.some(self.zone, -1)
        more = self.world.guess()
        if not more:
            self.world.hold(self.zone, other)
        return more

    def __lt__(self, other: Any) -> bool:
        return not self > other - 1 if isinstance(other, int) else self.world.guess()

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def _computed(self, *_: Any) -> Any:
        return Anything(self.world)

    def __divmod__(self, _: int) -> tuple[Any, Any]:
        return Anything(self.world), Anything(self.world)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __mod__ = __neg__ = _computed
    __hash__ = None  # type: ignore[assignment]
