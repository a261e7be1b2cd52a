"""Prints the numbers of bessel.inc, polygamma.inc, zeta.inc and gamma_pq.inc.

Each polynomial is the Chebyshev interpolant of the named function on the named
interval, worked out to 50 digits and turned into powers of the variable less
the centre; the error printed is the largest over 300 points, relative to the
function that it serves, after rounding the coefficients to double. "lead" is
what rounding took from the coefficient that comes last. Needs mpmath: python3
coefficients_special.py
"""

from mpmath import (
    bernoulli,
    besseli,
    besselj,
    besseljzero,
    besselk,
    bessely,
    besselyzero,
    cos,
    digamma,
    euler,
    exp,
    factorial,
    findroot,
    log,
    matrix,
    mp,
    mpf,
    pi,
    sin,
    sqrt,
)

mp.dps = 50


def interpolant(f, lo, hi, degree):
    """Coefficients in powers of the variable, lowest first."""
    n = degree + 1
    xs = [
        (hi + lo) / 2 + (hi - lo) / 2 * cos(pi * (2 * k + 1) / (2 * n))
        for k in range(n)
    ]
    rows, values = matrix(n, n), matrix(n, 1)
    for i, x in enumerate(xs):
        for j in range(n):
            rows[i, j] = x**j
        values[i] = f(x)
    return list(mp.lu_solve(rows, values))


def print_rows(numbers):
    for i in range(0, len(numbers), 3):
        print(
            "    " + " ".join(f"{float(a).hex()}," for a in numbers[i : i + 3])
        )


def show(name, f, lo, hi, degree, centre=0.0, weight=None):
    """`weight` of x is what an error of 1 means to the function served."""
    lo, hi, centre = mpf(lo), mpf(hi), mpf(centre)
    exact = interpolant(
        lambda t: f(centre + t), lo - centre, hi - centre, degree
    )
    c = [mpf(float(a)) for a in exact]
    worst = 0
    for i in range(301):
        x = lo + (hi - lo) * i / 300
        y = f(x)
        p = mp.polyval(c[::-1], x - centre)
        worst = max(worst, abs(p - y) * abs(weight(x) if weight else 1 / y))
    print(
        f"// {name} on [{float(lo)}, {float(hi)}], degree {degree}, centre"
        f" {float(centre)}, error {float(worst):.1e}"
    )
    print_rows(c[::-1])
    print(f"// lead {float(exact[0] - c[0]).hex()}\n")


def show_two(name, value):
    print(
        f"// {name} = {float(value).hex()} + "
        f"{float(value - mpf(float(value))).hex()}\n"
    )


def scaled_logarithm(x):
    # log(x/2) + gamma, where gamma is Euler's.
    return log(x / 2) + euler


def of_z(f, at_zero):
    # f(x) as a function of z = x^2 / 4.
    return lambda z: f(2 * sqrt(z)) if z else mpf(at_zero)


def show_modified():
    # I_n and K_n next to 0: DLMF 10.25.2, 10.31.1, 10.31.2.
    show(
        "I0 near",
        of_z(lambda x: (besseli(0, x) - 1) / (x * x / 4), 1),
        0,
        1,
        11,
        weight=of_z(lambda x: x * x / 4 / besseli(0, x), 0),
    )
    show(
        "I1 near",
        of_z(lambda x: (2 * besseli(1, x) / x - 1) / (x * x / 4), 0.5),
        0,
        1,
        10,
        weight=of_z(lambda x: x**3 / 8 / besseli(1, x), 0),
    )
    show(
        "K0 near",
        of_z(
            lambda x: (
                (besselk(0, x) + scaled_logarithm(x) * besseli(0, x))
                / (x * x / 4)
            ),
            1,
        ),
        0,
        0.25,
        7,
        weight=of_z(lambda x: x * x / 4 / besselk(0, x), 0),
    )
    show(
        "K1 near",
        of_z(
            lambda x: (
                (1 / x + scaled_logarithm(x) * besseli(1, x) - besselk(1, x))
                / x
            ),
            0.25,
        ),
        0,
        0.25,
        7,
        weight=of_z(lambda x: x / besselk(1, x), 0),
    )
    # exp(-x) sqrt(x) I_n(x) and exp(x) sqrt(x) K_n(x) as functions of 1/x.
    for n in (0, 1):

        def growing(w, n=n):
            return (
                exp(-1 / w) * besseli(n, 1 / w) / sqrt(w)
                if w
                else 1 / sqrt(2 * pi)
            )

        def falling(w, n=n):
            return (
                exp(1 / w) * besselk(n, 1 / w) / sqrt(w) if w else sqrt(pi / 2)
            )

        show(f"I{n} from 2", growing, 0.166, 0.5, 25, centre=0.328125)
        show(f"I{n} from 6", growing, 0.0499, 0.167, 20, centre=0.109375)
        show(f"I{n} from 20", growing, 0, 0.0501, 10)
        show(f"K{n} from 1", falling, 0.333, 1, 17, centre=0.65625)
        show(f"K{n} from 3", falling, 0, 0.334, 20, centre=0.15625)


def show_about_zero(name, f, zero, lo, hi, degree):
    # f(zero + d) / d as a function of d.
    def quotient(d):
        return f(zero + d) / d if d else mp.diff(f, zero)

    show_two(f"zero of {name}", zero)
    show(name, quotient, lo - zero, hi - zero, degree)


def phase_parts(n, y):
    # P and x Q as functions of y = 1 / x^2: DLMF 10.17.3, 10.17.4 name the
    # sums whose expansions these have.
    if not y:
        return mpf(1), mpf(4 * n * n - 1) / 8
    x = 1 / sqrt(y)
    j, b = besselj(n, x), bessely(n, x)
    c, s = cos(x - (2 * n + 1) * pi / 4), sin(x - (2 * n + 1) * pi / 4)
    unit = sqrt(pi * x / 2)
    return unit * (j * c + b * s), unit * (b * c - j * s) * x


def show_bessel():
    # Next to 0: DLMF 10.2.2, 10.8.1, 10.8.2.
    show(
        "J0 near",
        of_z(lambda x: (besselj(0, x) - 1) / (x * x / 4), -1),
        0,
        0.5625,
        9,
        weight=of_z(lambda x: x * x / 4 / besselj(0, x), 0),
    )
    show(
        "J1 near",
        of_z(lambda x: (2 * besselj(1, x) / x - 1) / (x * x / 4), -0.5),
        0,
        1,
        10,
        weight=of_z(lambda x: x**3 / 8 / besselj(1, x), 0),
    )
    show(
        "Y0 near",
        of_z(
            lambda x: (
                (pi / 2 * bessely(0, x) - scaled_logarithm(x) * besselj(0, x))
                / (x * x / 4)
            ),
            1,
        ),
        0,
        1.5625,
        12,
        weight=of_z(lambda x: x * x / 4, 0),
    )
    show(
        "Y1 near",
        of_z(
            lambda x: (
                (
                    scaled_logarithm(x) * besselj(1, x)
                    - 1 / x
                    - pi / 2 * bessely(1, x)
                )
                / x
            ),
            0.25,
        ),
        0,
        0.5625,
        9,
        weight=of_z(lambda x: x / bessely(1, x), 0),
    )
    for name, n, f, zero, k, lo, hi, degree in (
        ("J0 from 1.5", 0, besselj, besseljzero, 1, 1.5, 4, 19),
        ("J0 from 4", 0, besselj, besseljzero, 2, 4, 7, 18),
        ("J1 from 2", 1, besselj, besseljzero, 1, 2, 5.4, 19),
        ("J1 from 5.4", 1, besselj, besseljzero, 2, 5.4, 8, 17),
        ("Y0 from 2.5", 0, bessely, besselyzero, 2, 2.5, 5.5, 22),
        ("Y0 from 5.5", 0, bessely, besselyzero, 3, 5.5, 8, 18),
        ("Y1 from 1.5", 1, bessely, besselyzero, 1, 1.5, 4, 28),
        ("Y1 from 4", 1, bessely, besselyzero, 2, 4, 7, 20),
    ):
        show_about_zero(
            name,
            lambda x, f=f, n=n: f(n, x),
            zero(n, k),
            mpf(lo),
            mpf(hi),
            degree,
        )
    show("J0 from 7", lambda x: besselj(0, x), 7, 8, 12, centre=7.5)
    show("Y1 from 7", lambda x: bessely(1, x), 7, 8, 12, centre=7.5)
    for n in (0, 1):
        show(
            f"P{n}",
            lambda y, n=n: (
                (phase_parts(n, y)[0] - 1) / y
                if y
                else -mpf((4 * n * n - 1) * (4 * n * n - 9)) / 128
            ),
            0,
            mpf(1) / 64,
            11,
            weight=lambda y: y,
        )
        show(f"Q{n}", lambda y, n=n: phase_parts(n, y)[1], 0, mpf(1) / 64, 12)


def show_digamma():
    zero = findroot(digamma, 1.46)
    show_two("zero of digamma", zero)
    show(
        "digamma from 1",
        lambda x: (
            digamma(x) / (x - zero) if x != zero else mp.diff(digamma, zero)
        ),
        1,
        2,
        22,
        centre=1.5,
    )
    show("digamma from 2", digamma, 2, 4, 23, centre=3)
    show("digamma from 4", digamma, 4, 8, 24, centre=6)


def show_euler_maclaurin(count):
    print("// B_2k / (2k)! from k = 1")
    print_rows(
        [bernoulli(2 * k) / factorial(2 * k) for k in range(1, count + 1)]
    )
    print()


def stirling(count):
    # g_k of DLMF 5.11.3: the exponential of the series of 5.11.1.
    s = [mpf(0)] * (count + 1)
    for k in range(1, count + 1, 2):
        s[k] = bernoulli(k + 1) / (k * (k + 1))
    g = [mpf(1)]
    for k in range(1, count + 1):
        g.append(sum(j * s[j] * g[k - j] for j in range(1, k + 1)) / k)
    return g


def show_uniform(orders, count):
    # c_k of DLMF 8.12.9 to 8.12.12 in powers of eta. With mu = sum m_i eta^i,
    # eta = mu mu' / (1 + mu) gives the m_i, and 1/mu - 1/eta is c_0. Comparing
    # powers in c_k = c_{k-1}' / eta + (-1)^k g_k / mu gives the rest, since no
    # 1/eta stays.
    size = count + 2 * orders + 4
    m = [mpf(0), mpf(1)]
    for i in range(2, size):
        known = sum(m[j] * m[i + 1 - j] * (i + 1 - j) for j in range(2, i))
        m.append((m[i - 1] - known) / (i + 1))
    inverse = [mpf(1)]
    for i in range(1, size - 1):
        inverse.append(
            -sum(m[j + 1] * inverse[i - j] for j in range(1, i + 1))
        )
    first = inverse[1:]
    c, g = first, stirling(orders)
    for k in range(orders):
        if k:
            c = [
                (i + 2) * c[i + 2] + (-1) ** k * g[k] * first[i]
                for i in range(len(c) - 2)
            ]
        kept = max(count - 2 * k, 3)
        print(
            f"// c_{k}, next term at 0.35: "
            f"{float(abs(c[kept]) * mpf(0.35) ** kept / mpf(200) ** k):.1e}"
        )
        print_rows(c[:kept][::-1])
        print(f"// lead {float(c[0] - mpf(float(c[0]))).hex()}\n")


if __name__ == "__main__":
    show_two("exp(gamma) / 2", exp(euler) / 2)
    show_modified()
    show_bessel()
    show_digamma()
    show_euler_maclaurin(12)
    show_uniform(7, 16)
