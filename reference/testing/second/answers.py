"""What an element may be, and whether the oracle's set says the same.

Bounds are those of the operations' accuracy clauses (docs/accuracy.md): `ulp`
bounds are checked from both sides, sums of several errors from outside only.
"""

import math
from fractions import Fraction

from second.formats import FORMATS, is_inf, is_nan, opmath

# docs/accuracy.md: a tolerance counts as up to 2^-16 of itself wider.
WIDENING = 1 + Fraction(1, 1 << 16)


class Answer:
    """The exact value of an element, and how far a result may be from it.

    `also` are further right values (where documentation leaves a choice).
    Without `ulp` and `most` the value itself, correctly rounded, alone is
    right; `ulp` counts in the format of computation; no result is farther than
    `most`, and a set may be as narrow as it likes. `ulp` and `most` together:
    the larger counts. `tight`: `most` is checked from both sides as well.
    `any_zero`: a zero may have either sign. `free`: nothing is promised.
    `limits`: what lies outside is not granted.
    """

    def __init__(
        self,
        value,
        ulp=None,
        most=None,
        also=(),
        any_zero=False,
        free=False,
        tight=False,
        within=None,
        limits=(None, None),
    ):
        self.value, self.ulp, self.most, self.also = value, ulp, most, also
        self.any_zero, self.free, self.tight, self.within = (
            any_zero,
            free,
            tight,
            within,
        )
        self.limits = limits

    def is_point(self):
        special = isinstance(self.value, float)  # zero, infinity or NaN
        return (
            (not self.ulp or special)
            and not self.most
            or is_inf(self.value)
            or is_nan(self.value)
        )


class Set:
    """The oracle's acceptance set of an element: ranges of places."""

    def __init__(self, dtype, told):
        self.dtype = FORMATS[dtype]
        self.ranges = [
            (self.dtype.place_of_bits(lo), self.dtype.place_of_bits(hi))
            for lo, hi in told["ranges"]
        ]
        self.nan, self.unspecified = told["nan"], told["unspecified"]
        self.any_zero = told["any_zero_sign"]

    def holds(self, place):
        if place is None:
            return self.nan
        zeros = (
            {0, -1}
            if self.any_zero and place in (0, -1) and self.dtype.is_float
            else {place}
        )
        return any(lo <= p <= hi for p in zeros for lo, hi in self.ranges)

    def only(self, places):
        """Has the set no members but these?"""
        size = sum(hi - lo + 1 for lo, hi in self.ranges)
        return (
            size <= 2 * len(places) + 2
            and all(
                p in places
                or (self.any_zero and p in (0, -1) and places & {0, -1})
                for lo, hi in self.ranges
                for p in range(lo, hi + 1)
            )
            and (not self.nan or None in places)
        )


def disagreement(answer, dtype, told):
    """None, or what is wrong with the oracle's set of an element."""
    accepted = Set(dtype, told)
    if answer.free or accepted.unspecified:
        return (
            None
            if answer.free and accepted.unspecified
            else "one of us promises nothing"
        )
    values = (answer.value, *answer.also)
    form = FORMATS[dtype]
    if not form.is_float:
        places = {int(v) for v in values}
    else:
        places = {form.place(v) for v in values}
    for place in places:
        if not accepted.holds(place):
            return f"place {place}, the right one, is not in the set"
    if form.is_float and answer.any_zero and places & {0, -1}:
        places |= {0, -1}
        if not accepted.holds(0) or not accepted.holds(-1):
            return "a zero of the other sign is refused"
    if answer.is_point():
        return (
            None
            if accepted.only(places)
            else f"the set has more than {sorted_places(places)}"
        )
    return outside(answer, form, accepted, places)


def sorted_places(places):
    return sorted(places, key=lambda p: (p is None, p))


def outside(answer, form, accepted, places):
    """Checks both ends of a tolerance."""
    if accepted.nan and None not in places:
        return "NaN is accepted"
    value = answer.value if isinstance(answer.value, Fraction) else Fraction(0)
    unit = answer.within or opmath(form.name)
    by_ulp = (
        answer.ulp * unit.ulp(value) if answer.ulp and value else Fraction(0)
    )
    reach = max(by_ulp, answer.most or 0)
    one_sign = (
        value != 0 and (answer.most or 0) < by_ulp and by_ulp >= abs(value)
    )
    floor, ceiling = ends(
        form, unit, answer, reach * WIDENING, one_sign, outer=True
    )
    if answer.any_zero and {floor, ceiling} & {0, -1}:
        floor, ceiling = min(floor, -1), max(ceiling, 0)
    for lo, hi in accepted.ranges:
        alone = lo == hi and lo in places
        if not alone and (lo < floor or hi > ceiling):
            return f"[{lo}, {hi}] exceeds [{floor}, {ceiling}]"
    if answer.most and not answer.tight:
        return None
    floor, ceiling = ends(form, unit, answer, reach, one_sign, outer=False)
    if not any(lo <= floor and hi >= ceiling for lo, hi in accepted.ranges):
        return f"{accepted.ranges} is narrower than [{floor}, {ceiling}]"
    return None


def ends(form, unit, answer, reach, one_sign, outer):
    """The places between which results lie within `reach` of the value.

    In the format of computation these are the elements of the interval. A
    narrower one rounds them: the outer end is that of the interval rounded,
    the inner one that of its last elements in the format of computation.
    A relative tolerance does not reach beyond zero (`one_sign`).
    """
    value = answer.value if isinstance(answer.value, Fraction) else Fraction(0)
    low, high = value - reach, value + reach
    least, greatest = answer.limits
    low = low if least is None else max(low, Fraction(least))
    high = high if greatest is None else min(high, Fraction(greatest))
    if one_sign:
        low, high = (Fraction(0), high) if value > 0 else (low, Fraction(0))
    right = form.place(value or 0.0)
    return (
        min(end(form, unit, low, True, value, outer), right),
        max(end(form, unit, high, False, value, outer), right),
    )


def end(form, unit, x, is_low, value, outer):
    if x == 0:
        # Both zeros lie within, but only that of the value's sign is sure to
        # be right: the sign is a check of its own.
        inner = -1 if value < 0 else 0
        return (-1 if is_low else 0) if outer and value == 0 else inner
    if unit.name == form.name:
        return inward(form, x, is_low)
    if outer:
        return beyond(form, form.code(x), x)
    place = inward(unit, x, is_low)
    code = place if place >= 0 else -1 - place
    if code == 0 or code > unit.top:
        return form.signed(min(code, form.top + 1) if code else 0, place < 0)
    return beyond(form, form.code(unit.magnitude(code)), x)


def beyond(form, code, x):
    return form.signed(min(code, form.top + 1), x < 0)


def inward(form, x, is_low):
    """The first element from x toward the inside of the interval. Infinity
    counts as the power of two beyond the largest element."""
    toward = math.ceil if is_low == (x > 0) else math.floor
    return beyond(form, form.code(x, toward), x)
