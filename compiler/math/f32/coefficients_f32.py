"""Prints the numbers of log_short.inc and of the files called NAME_f32.inc.

Each polynomial is nearly the one whose weighted error on the named interval is
least: Lawson's iteration of weighted least squares at Chebyshev nodes, worked
out to 40 digits. Its coefficients are rounded one after another, from the
lowest up or from the highest down, and after each the others are fitted again.
What is printed is the largest weighted error over 801 points after rounding,
which is the error relative to the function that the polynomial serves. Needs
mpmath: python3 coefficients_f32.py
"""

from mpmath import (
    asin,
    atan,
    atanh,
    cos,
    erf,
    erfc,
    exp,
    floor,
    frexp,
    ln,
    log,
    matrix,
    mp,
    mpf,
    nstr,
    pi,
    sin,
    sinh,
    sqrt,
    tanh,
)

mp.dps = 40
NEAR = mpf("1e-9")  # below, series stand for quotients that cancel


def rounded(x, bits):
    if not x:
        return mpf(0)
    fraction, exponent = frexp(x)
    return floor(fraction * 2**bits + mpf("0.5")) * mpf(2) ** (exponent - bits)


def least_squares(rows, values, weights):
    n = len(rows[0])
    left, right = matrix(n, n), matrix(n, 1)
    for row, y, w in zip(rows, values, weights):
        for i in range(n):
            right[i] += w * row[i] * y
            for j in range(n):
                left[i, j] += w * row[i] * row[j]
    return list(mp.lu_solve(left, right))


def minimax(f, weight, lo, hi, n, rounds=10):
    """n coefficients, lowest first, of small largest |weight (p - f)|."""
    m = 6 * n + 10
    nodes = [cos(pi * (2 * k + 1) / (2 * m)) for k in range(m)]
    xs = [(hi + lo) / 2 + (hi - lo) / 2 * t for t in nodes]
    rows = [[weight(x) * x**j for j in range(n)] for x in xs]
    values = [weight(x) * f(x) for x in xs]
    share = [mpf(1) / m] * m
    best = None
    for _ in range(rounds):
        c = least_squares(rows, values, share)
        errors = [
            abs(sum(a * b for a, b in zip(c, row)) - y)
            for row, y in zip(rows, values)
        ]
        worst = max(errors)
        if best is None or worst < best[0]:
            best = (worst, c)
        share = [s * (e + worst / 1000) for s, e in zip(share, errors)]
        total = sum(share)
        share = [s / total for s in share]
    return best[1]


def show(name, f, lo, hi, n, weight, bits=24, down=False, given=()):
    """`down`: from the highest coefficient; the lowest has a second part."""
    lo, hi = mpf(lo), mpf(hi)
    known = dict(enumerate(mpf(c) for c in given))
    for k in range(n - 1, -1, -1) if down else range(len(given), n):

        def rest(x):
            return f(x) - sum(a * x**j for j, a in known.items())

        if down:
            c = minimax(rest, weight, lo, hi, k + 1)[k]
            known[k] = rounded(c, bits if k else 2 * bits)
        else:
            c = minimax(
                lambda x: rest(x) / x**k,
                lambda x: weight(x) * x**k,
                lo,
                hi,
                n - k,
                10 if k == 0 else 5,
            )[0]
            known[k] = rounded(c, bits)
    worst = 0
    for i in range(801):
        x = lo + (hi - lo) * (i + mpf("0.37")) / 802
        p = sum(a * x**j for j, a in known.items())
        worst = max(worst, abs(weight(x) * (p - f(x))))
    print(f"// {name} on [{nstr(lo, 6)}, {nstr(hi, 6)}]: 2^"
          f"{nstr(log(worst, 2), 4)}")
    for k in range(n - 1, -1, -1):
        first = rounded(known[k], bits)
        second = known[k] - first
        more = f" and {float(rounded(second, bits)).hex()}" if second else ""
        print(f"    {float(first).hex()}{more}")


def series(f, slope):
    """(f(x)/x - 1)/z as a function of z = x^2; its value at 0 is slope."""

    def of(z):
        if z < NEAR**2:
            return mpf(slope)
        x = sqrt(z)
        return (f(x) / x - 1) / z

    return of


def show_series(name, f, slope, hi, n, bits=24):
    g = series(f, slope)
    show(f"({name}(x)/x - 1)/z", g, 0, hi, n, lambda z: z / (1 + z * g(z)),
         bits)


def exp_tail(r):
    return (exp(r) - 1 - r) / r**2 if abs(r) > NEAR else mpf("0.5") + r / 6


def exp2_tail(f):
    if abs(f) < NEAR:
        return ln(2) + f * ln(2) ** 2 / 2
    return (mpf(2) ** f - 1) / f


def log_cubic(f):
    if abs(f) < NEAR:
        return mpf(1) / 3 - f / 4
    return (ln(1 + f) - f + f * f / 2) / f**3


def erf_tail(z):
    return (erf(sqrt(z)) / sqrt(z) if z else 2 / sqrt(pi)) - 1


def show_share(name, f, top, n, c=3, centre="0.5", weight=lambda a: 1):
    """(a + c) f(a) as a function of a/(a + c) - centre, a up to top."""
    c, centre, top = mpf(c), mpf(centre), mpf(top)

    def of(t):
        part = t + centre
        return c * part / (1 - part)

    def g(t):
        return (of(t) + c) * f(of(t))

    show(name, g, -centre, top / (top + c) - centre, n,
         lambda t: weight(of(t)) / g(t), down=True)


def upper_tail(a):
    """Of the Gaussian distribution."""
    return erfc(a / sqrt(mpf(2))) / 2


def f16_gelu(a):
    """1; 2^-n where x < 0 gives n bits less; 3 where x > 0 tells Q from 1/2."""
    q = upper_tail(a)
    if a > 4.1:
        return q / upper_tail(mpf("4.1"))
    return max(1, 3 * q / (1 - q))


def subnormal_gelu(a):
    """1, and 2^-n where the result has n bits less."""
    return 1 if a < 13.2 else exp((mpf("13.2") ** 2 - a * a) / 2)


def erfcx_share(t):
    """(1 + 2a) exp(a^2) erfc(a) as a function of t = (a - 3)/(a + 3)."""
    a = 3 * (1 + t) / (1 - t) if t < 1 else mpf("1e30")
    if a < 1000:
        return (1 + 2 * a) * exp(a * a) * erfc(a)
    w = 1 / (2 * a * a)
    return (2 + 1 / a) * (1 - w + 3 * w * w - 15 * w**3) / sqrt(pi)


def sin_quarter(z):
    f = sqrt(z)
    turn = pi / 2
    if z < NEAR:
        return -(turn**3) / 6
    return (sin(turn * f) - turn * f) / (f * z)


def cos_quarter(z):
    if z < NEAR:
        return -((pi / 2) ** 2) / 2
    return (cos(pi / 2 * sqrt(z)) - 1) / z


def sin_tail(z):
    r = sqrt(z)
    return (sin(r) - r) / (r * z) if z > NEAR else z / 120 - mpf(1) / 6


def cos_tail(z):
    if z < mpf("1e-8"):
        return mpf(1) / 24 - z / 720
    return (cos(sqrt(z)) - 1 + z / 2) / z**2


def show_parts(name, x, first, then, count=2):
    parts = []
    for i in range(count):
        parts.append(rounded(x, first if i == 0 else then))
        x -= parts[-1]
    print(f"// {name}: " + ", ".join(float(p).hex() for p in parts))


if __name__ == "__main__":
    half = ln(2) / 2 * mpf("1.01")
    show("(exp(r) - 1 - r)/r^2", exp_tail, -half, half, 6, lambda r: r,
         given=[0.5])
    for count in 5, 4:
        show("(exp(r) - 1 - r)/r^2", exp_tail, -half, half, count,
             lambda r: r * r)
    show("(2^f - 1)/f", exp2_tail, -0.505, 0.505, 6,
         lambda f: f / mpf(2) ** f)
    least = mpf("0.66796875")  # of m
    show("ln(1 + f) beyond f^2", log_cubic, least - 1, 2 * least - 1, 9,
         lambda f: f**2)
    show("(2^f - 1)/f", exp2_tail, -0.505, 0.505, 5,
         lambda f: f / mpf(2) ** f)
    show("log2 Q(a)", lambda a: log(upper_tail(a), 2), 0, mpf("5.8"), 10,
         f16_gelu, given=[-1])
    show_series("tanh", tanh, -mpf(1) / 3, 1, 8)
    show("erf(x)/x - 1", erf_tail, 0, 1, 7, lambda z: 1 / (1 + erf_tail(z)))
    show("log2(erfc(1 + t))", lambda t: log(erfc(1 + t), 2), 0, 3, 7,
         lambda t: erfc(1 + t), down=True)
    # The centre is one where the lowest coefficient is nearly a float.
    show_share("exp(a^2/2) Q(a)",
               lambda a: exp(a * a / 2) * upper_tail(a), "14.3",
               10, c="3.3125", centre=mpf(59) / 128, weight=subnormal_gelu)
    show_share("exp(a^2) erfc(a)", lambda a: exp(a * a) * erfc(a), "10.1", 10)
    end = mpf("0.51") ** 2
    show("(sin(pi/2 f) - pi/2 f)/f^3", sin_quarter, 0, end, 4,
         lambda z: 2 * z / pi, bits=53)
    show("(cos(pi/2 f) - 1)/f^2", cos_quarter, 0, end, 4,
         lambda z: mpf("1.4") * z, bits=53)
    end = (pi / 4 * mpf("1.006")) ** 2
    show("(sin(r) - r)/r^3", sin_tail, 0, end, 3, lambda z: z)
    show("(cos(r) - 1 + r^2/2)/r^4", cos_tail, 0, end, 3,
         lambda z: mpf("1.4") * z * z)
    eighth = (sqrt(mpf(2)) - 1) ** 2  # of tan(pi/8)
    show_series("atan", atan, -mpf(1) / 3, eighth * mpf("1.001"), 5)
    show_series("atan", atan, -mpf(1) / 3, 1, 11)
    show("(asin(x)/x - 1)/z", series(asin, mpf(1) / 6), 0, mpf("0.2501"), 6,
         lambda z: z)
    show("(sinh(x)/x - 1)/z", series(sinh, mpf(1) / 6), 0, 1, 4,
         lambda z: z)
    show("(atanh(s)/s - 1)/z", series(atanh, mpf(1) / 3), 0,
         mpf("0.04") * mpf("1.001"), 5, lambda z: z, bits=53)
    show_series("atanh", atanh, mpf(1) / 3, mpf("0.04") * mpf("1.001"), 7, 53)
    show_series("sin(pi f)/pi", lambda f: sin(pi * f) / pi, -(pi**2) / 6,
                mpf("0.25"), 9, 53)
    show("(1 + 2a) erfcx(a)", erfcx_share, -1, 1, 12,
         lambda t: 1 / erfcx_share(t), bits=53)
    show_parts("ln2", ln(2), 24, 24)
    show_parts("ln2", ln(2), 15, 24)
    show_parts("ln10", ln(10), 24, 24)
    show_parts("1/ln2", 1 / ln(2), 24, 24)
    show_parts("1/ln10", 1 / ln(10), 24, 24)
    show_parts("log10(2)", ln(2) / ln(10), 24, 24)
    show_parts("log10(2)", ln(2) / ln(10), 15, 24)
    show_parts("log2(10)", ln(10) / ln(2), 24, 24, 1)
    show_parts("pi/2", pi / 2, 24, 24, 3)
    show_parts("2/pi", 2 / pi, 24, 24, 1)
    two_over_pi = 2 * sqrt(2 / pi)
    show_parts("2 sqrt(2/pi)", two_over_pi, 21, 24)
    show_parts("0.044715 times that", two_over_pi * mpf("0.044715"), 24, 24)
    with mp.workdps(120):
        for i in range(5):
            unit = mpf(2) ** (22 * i)
            x = unit * 2 / pi
            x -= 4 * floor(x / 4 + mpf("0.5")) if i else 0
            show_parts(f"2/pi modulo 2^{2 - 22 * i}", x / unit, 53, 53)
