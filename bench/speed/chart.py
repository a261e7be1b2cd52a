"""Draws a table of speed.py as an SVG: how many times as fast as Inductor and
as eager, a line for each program, on a logarithmic axis.

    ./assay bench chart TABLE.md CHART.svg

Of several tables in a file, by numbers of threads, the first is drawn.
"""

import html
import math
import sys

# What is drawn of a row: column, colour of its dot, what it is called.
DOTS = [("over inductor", "#c2410c", "over Inductor as called"),
        ("over eager", "#1d4ed8", "over eager")]
LEAST, MOST = 0.5, 32
NAMES, WIDTH, LINE, HEAD = 210, 760, 17, 44


def read(path):
    """(heading, {program: {column: number}}) of the first table"""
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    heading = next(line for line in lines if line and line[0] != "#")
    first = next(i for i, line in enumerate(lines)
                 if line.startswith("| program |"))
    columns = cells(lines[first])
    rows = {}
    for line in lines[first + 2:]:
        if not line.startswith("|"):
            break
        name, *values = cells(line)
        rows[name.strip("*")] = {
            c: float(v.strip("*")) for c, v in zip(columns[1:], values)
            if v.strip("*-")}
    return heading.partition(".")[0], rows


def cells(line):
    return [c.strip() for c in line.strip("|").split("|")]


def across(ratio):
    part = math.log(ratio / LEAST) / math.log(MOST / LEAST)
    return NAMES + (WIDTH - NAMES - 20) * min(max(part, 0), 1)


def text(x, y, words, **style):
    given = "".join(f' {k.replace("_", "-")}="{v}"' for k, v in style.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{given}>{html.escape(words)}</text>'


def draw(heading, rows):
    bottom = HEAD + LINE * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
        f'{bottom + 30}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{bottom + 30}" fill="white"/>',
        text(8, 16, f"Times as fast, one thread; {heading}",
             font_weight="bold")]
    x = 8
    for _, colour, called in DOTS:
        parts.append(f'<circle cx="{x + 4}" cy="29" r="4" fill="{colour}"/>')
        parts.append(text(x + 13, 33, called))
        x += 30 + 6.2 * len(called)
    ratio = LEAST
    while ratio <= MOST:
        x = across(ratio)
        colour = "#666" if ratio == 1 else "#ddd"
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{HEAD}" '
                     f'y2="{bottom}" stroke="{colour}"/>')
        parts.append(text(x, bottom + 15, f"{ratio:g}", text_anchor="middle"))
        ratio *= 2
    for i, (name, values) in enumerate(rows.items()):
        y = HEAD + LINE * (i + 0.5)
        bold = {"font_weight": "bold"} if name == "geometric mean" else {}
        parts.append(text(NAMES - 8, y + 4, name, text_anchor="end", **bold))
        for column, colour, _ in DOTS:
            if column in values:
                parts.append(f'<circle cx="{across(values[column]):.1f}" '
                             f'cy="{y:.1f}" r="4" fill="{colour}">'
                             f'<title>{values[column]:.2f}</title></circle>')
    return "\n".join(parts + ["</svg>"]) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    picture = draw(*read(sys.argv[1]))
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write(picture)


if __name__ == "__main__":
    main()
