"""Prints the numbers of erf.inc, tanh.inc, atan.inc, lgamma.inc and trig.inc.

Each polynomial is the Chebyshev interpolant of the named function on the named
interval, worked out to 60 digits and turned into powers of the variable; the
error printed is the largest over 2000 points, relative to the function that it
serves, after rounding the coefficients to double. Needs mpmath:
python3 coefficients.py
"""

from mpmath import (
    asin,
    atan,
    cos,
    erf,
    erfc,
    euler,
    exp,
    floor,
    frexp,
    loggamma,
    matrix,
    mp,
    mpf,
    pi,
    sqrt,
    tanh,
)

mp.dps = 60


def interpolant(f, lo, hi, degree):
    """Coefficients in powers of the variable, lowest first."""
    n = degree + 1
    nodes = [cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    xs = [(hi + lo) / 2 + (hi - lo) / 2 * t for t in nodes]
    rows = matrix(n, n)
    values = matrix(n, 1)
    for i, x in enumerate(xs):
        for j in range(n):
            rows[i, j] = x**j
        values[i] = f(x)
    return [mpf(float(c)) for c in mp.lu_solve(rows, values)]


def show(name, f, lo, hi, degree, unit=0):
    lo, hi = mpf(lo), mpf(hi)
    c = interpolant(f, lo, hi, degree)
    worst = 0
    for i in range(2001):
        x = lo + (hi - lo) * i / 2000
        p = sum(a * x**j for j, a in enumerate(c))
        worst = max(worst, abs(p - f(x)) / abs(unit + f(x)))
    print(f"// {name} on [{float(lo)}, {float(hi)}], degree {degree},"
          f" relative error {float(worst):.1e}")
    for a in reversed(c):
        print(f"    {float(a).hex()},")


def erf_tail(z):
    # erf(x) / x - 1 as a function of z = x^2.
    return (erf(sqrt(z)) / sqrt(z) if z else 2 / sqrt(pi)) - 1


def erfcx(t):
    # (1 + 2x) exp(x^2) erfc(x), which is nearly flat, as a function of
    # t = (x - 4) / (x + 4).
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * exp(x * x) * erfc(x)


def lgamma_quotient(s):
    # ln(gamma(z)) / ((z - 1)(z - 2)) as a function of s = z - 13/8.
    z = s + mpf(13) / 8
    if z in (1, 2):
        return euler if z == 1 else 1 - euler
    return loggamma(z) / ((z - 1) * (z - 2))


def tanh_tail(z):
    # (tanh(x) / x - 1) / z as a function of z = x^2.
    if not z:
        return mpf(-1) / 3
    x = sqrt(z)
    return (tanh(x) / x - 1) / z


def atan_tail(z):
    # (atan(x) / x - 1) / z as a function of z = x^2.
    if not z:
        return mpf(-1) / 3
    x = sqrt(z)
    return (atan(x) / x - 1) / z


def asin_tail(z):
    # (asin(x) / x - 1) / z as a function of z = x^2.
    if not z:
        return mpf(1) / 6
    x = sqrt(z)
    return (asin(x) / x - 1) / z


def show_quarter_turn():
    # pi/2 in parts of 33 bits, whose products with 20 bits are exact, and what
    # is left; then the first 1184 bits of 2/pi.
    with mp.workdps(400):
        rest = pi / 2
        for _ in range(3):
            fraction, exponent = frexp(rest)
            part = floor(fraction * 2**33) * mpf(2) ** (exponent - 33)
            print(f"// {float(part).hex()}")
            rest -= part
        print(f"// {float(rest).hex()}")
        bits = 2 / pi
        for _ in range(37):
            bits *= mpf(2) ** 32
            word = int(floor(bits))
            print(f"    0x{word:08x}u,")
            bits -= word


if __name__ == "__main__":
    show("erf(x)/x - 1", erf_tail, 0, mpf(25) / 16, 17, unit=1)
    lo = (mpf(1) / 2 - 4) / (mpf(1) / 2 + 4)
    hi = (mpf(28) - 4) / (mpf(28) + 4)
    show("(1 + 2x) erfcx(x)", erfcx, lo, hi, 22)
    show("(tanh(x)/x - 1)/z", tanh_tail, 0, mpf(36) / 100, 11)
    root = sqrt(mpf(2)) - 1  # tan(pi/8)
    show("(atan(x)/x - 1)/z", atan_tail, 0, root * root, 11)
    show("(asin(x)/x - 1)/z", asin_tail, 0, mpf(1) / 4, 14)
    show("lgamma(z)/((z - 1)(z - 2))", lgamma_quotient, mpf(-7) / 8,
         mpf(7) / 8, 28)
    show_quarter_turn()
