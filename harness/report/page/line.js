// The acceptance set on a line of neighbouring elements: each tick is one
// element of the format, and what lies between is cut out with its count.
const lineWidth = 640;
const lineMargin = 46;

// Floats by their place in the order of values, integers by themselves.
function axisOf(got, set) {
  const ends = set.ranges.flat();
  const all = got ? [...ends, got] : ends;
  if (all.length > 0 && all.every(e => e.integer !== undefined)) {
    return {
      place: e => e.integer,
      label: place => place.toString(),
      lowest: null,
    };
  }
  const f = all.every(e => e.bits !== undefined) && formatOf(all);
  if (!f) return null;
  return {
    format: f,
    place: e => ordinal(f, e.bits),
    label: place => showValue(decode(f, bitsAt(f, place)), f.digits),
    value: place => decode(f, bitsAt(f, place)),
    lowest: lowest(f),
    highest: f.top,
  };
}

// Stretches of elements around what matters: [first, last], in order.
function stretches(marks, axis) {
  const sorted = [...marks].sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
  const out = [];
  for (const m of sorted) {
    let [first, last] = [m - 2n, m + 2n];
    if (axis.lowest !== null) {
      if (first < axis.lowest) first = axis.lowest;
      if (last > axis.highest) last = axis.highest;
    }
    const before = out.at(-1);
    if (before && first <= before[1] + 4n) {
      if (last > before[1]) before[1] = last;
    } else {
      out.push([first, last]);
    }
  }
  return out;
}

// A number between elements: its place, with a fraction, or null.
function placeOfNumber(axis, x) {
  if (!axis.format || !Number.isFinite(x)) return null;
  let [lo, hi] = [axis.lowest, axis.highest];
  while (lo < hi) {
    const middle = lo + (hi - lo + 1n) / 2n;
    if (axis.value(middle) <= x) lo = middle; else hi = middle - 1n;
  }
  const [a, b] = [axis.value(lo), axis.value(lo + 1n)];
  const part = Number.isFinite(b) && b > a ? (x - a) / (b - a) : 0;
  return {whole: lo, part: Math.max(0, Math.min(part, 1))};
}

// At most so many pieces of a set: those nearest to what came back.
function nearPieces(axis, ranges, got) {
  const most = 4;
  if (ranges.length <= most) return ranges;
  const to = got && !Number.isNaN(got.value) ? axis.place(got) : 0n;
  const away = ([lo, hi]) => {
    const [a, b] = [axis.place(lo), axis.place(hi)];
    return to < a ? a - to : to > b ? to - b : 0n;
  };
  const nearest = [...ranges].sort((a, b) => away(a) < away(b) ? -1 : 1);
  return nearest.slice(0, most);
}

function numberLine(got, set, exact) {
  const axis = set && set.ranges.length > 0 ? axisOf(got, set) : null;
  if (!axis) return null;
  const ranges = nearPieces(axis, set.ranges, got);
  const gotPlace = got && !Number.isNaN(got.value) ? axis.place(got) : null;
  const exactPlace = placeOfNumber(axis, exact);
  const marks = ranges.flat().map(axis.place);
  if (gotPlace !== null) marks.push(gotPlace);
  if (exactPlace) marks.push(exactPlace.whole);
  const parts = stretches(marks, axis);
  const gap = 3;
  const units = parts.reduce((n, [a, b]) => n + Number(b - a), 0) +
      gap * (parts.length - 1);
  if (units > 60 || units === 0) return null;
  const unit = (lineWidth - 2 * lineMargin) / units;
  // Left end of each stretch, in units.
  const left = [];
  parts.reduce((x, [a, b]) => (left.push(x), x + Number(b - a) + gap), 0);
  const at = (place, part = 0) => {
    const i = parts.findIndex(([a, b]) => a <= place && place <= b);
    return lineMargin + unit * (left[i] + Number(place - parts[i][0]) + part);
  };
  return drawLine({axis, set, ranges, parts, at, gotPlace, exactPlace, exact});
}

const inRanges = (axis, ranges, place) => ranges.some(
    ([lo, hi]) => axis.place(lo) <= place && place <= axis.place(hi));

function drawLine(d) {
  const y = 62;
  const height = 124;
  const words = [];
  const out = svg('svg.numberline', {
    viewBox: `0 0 ${lineWidth} ${height}`, role: 'img',
  });
  for (const [lo, hi] of d.ranges) {
    const [a, b] = [d.at(d.axis.place(lo)), d.at(d.axis.place(hi))];
    out.append(svg('line.set', {x1: a, x2: b, y1: y, y2: y}));
  }
  d.parts.forEach(([first, last], i) => {
    out.append(svg('line.axis',
        {x1: d.at(first), x2: d.at(last), y1: y, y2: y}));
    for (let p = first; p <= last; ++p) addTick(out, d, p, y);
    if (i > 0) addBreak(out, d, d.parts[i - 1][1], first, y);
  });
  addEndLabels(out, d, y, words);
  if (d.exactPlace) {
    const x = d.at(d.exactPlace.whole, d.exactPlace.part);
    out.append(svg('line.exact', {x1: x, x2: x, y1: y - 17, y2: y + 9}));
    out.append(lineText(x, y - 22, 'exact', 'exact'));
    words.push(`exact value ${showValue(d.exact)}`);
  }
  if (d.gotPlace !== null) {
    const good = inRanges(d.axis, d.set.ranges, d.gotPlace);
    const x = d.at(d.gotPlace);
    out.append(svg(`path.got${good ? '.good' : ''}`, {
      d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10`,
    }));
    out.append(svg('line.pointer', {x1: x, x2: x, y1: 22, y2: y - 8}));
    const label = d.axis.label(d.gotPlace);
    out.append(lineText(x, 16, `got ${label}`, 'gotlabel'));
    words.unshift(`got ${label}`);
  }
  out.setAttribute('aria-label', 'Number line: ' + words.join('; '));
  return out;
}

function addTick(out, d, place, y) {
  const x = d.at(place);
  const good = inRanges(d.axis, d.ranges, place);
  const dot = svg(good ? 'circle.good' : 'circle.other',
      {cx: x, cy: y, r: good ? 4.5 : 3});
  const f = d.axis.format;
  dot.append(svg('title', f ?
      `${hexOf(f, bitsAt(f, place))} = ${d.axis.label(place)}` :
      d.axis.label(place)));
  out.append(dot);
}

function addBreak(out, d, last, first, y) {
  const [a, b] = [d.at(last), d.at(first)];
  const missing = first - last - 1n;
  const inside = inRanges(d.axis, d.ranges, last + 1n);
  out.append(svg(inside ? 'line.gap.inside' : 'line.gap',
      {x1: a + 8, x2: b - 8, y1: y, y2: y}));
  out.append(lineText((a + b) / 2, y - 8, bigWords(missing), 'gaplabel'));
}

function bigWords(n) {
  const text = n < 100000n ? n.toLocaleString('en') :
                             Number(n).toExponential(1).replace('e+', 'e');
  return `${text} more`;
}

// Ends of ranges below the line, in two rows where they would run together.
function addEndLabels(out, d, y, words) {
  let until = [-Infinity, -Infinity];
  for (const [lo, hi] of [...d.ranges].sort(
      (a, b) => d.axis.place(a[0]) < d.axis.place(b[0]) ? -1 : 1)) {
    const ends = lo === hi || d.axis.place(lo) === d.axis.place(hi) ?
        [lo] : [lo, hi];
    words.push('admissible ' +
        ends.map(e => d.axis.label(d.axis.place(e))).join(' to '));
    for (const e of ends) {
      const place = d.axis.place(e);
      const label = d.axis.label(place);
      const half = label.length * 3.2 + 6;
      const x = Math.min(Math.max(d.at(place), half), lineWidth - half);
      const row = until[0] <= x - half ? 0 : 1;
      until[row] = x + half;
      const node = lineText(x, y + 22 + 26 * row, label, 'endlabel');
      out.append(node);
      if (d.axis.format) {
        out.append(lineText(x, y + 33 + 26 * row,
            hexOf(d.axis.format, bitsAt(d.axis.format, place)), 'hexlabel'));
      }
    }
  }
}

function lineText(x, y, text, name) {
  const half = text.length * 3.2;
  const anchor = x < half ? 'start' : x > lineWidth - half ? 'end' : 'middle';
  const at = anchor === 'start' ? 2 : anchor === 'end' ? lineWidth - 2 : x;
  return svg(`text.${name}`, {x: at, y, 'text-anchor': anchor}, text);
}
