// Exhaustive sweeps: the largest error of each part against its inputs, in
// the order of their values.
function renderSweeps(main) {
  const q = state.q.toLowerCase();
  const shown = data.sweeps.filter(s =>
      `${s.name} ${s.column}`.toLowerCase().includes(q) &&
      (!state.subject || s.column.startsWith(state.subject)) &&
      (!state.dtype || s.dtype === state.dtype));
  main.replaceChildren(el('div.prose', el('h2', 'Every input'),
      el('p', 'Each bar is a part of all inputs, from the least to the ' +
        'greatest; its height is the largest error found in it, in ulp of ' +
        'the exact value. Parts with results outside of the clause are ' +
        'marked ✗.')),
  shown.length > 0 ? el('div.figures.wide', shown.map(sweepFigure)) :
                     el('p.empty', 'No sweep fits these filters.'));
}

const sum = list => list.reduce((a, b) => a + b, 0);
const largest = list => list.reduce((a, b) => Math.max(a, b), 0);

function sweepFigure(s) {
  const seen = sum(s.parts.inputs);
  const error = largest(s.parts.error);
  const broken = sum(s.parts.broken);
  const words = [
    `${seen.toLocaleString('en')} inputs` +
      (s.inputs > seen ? ` of ${s.inputs.toLocaleString('en')}` : ''),
    `largest error ${error.toPrecision(4)} ulp`,
    `${sum(s.parts.not_rounded).toLocaleString('en')} not correctly rounded`,
    broken > 0 ? `✗ ${broken.toLocaleString('en')} outside of ${s.clause}` :
        s.clause && `✓ conforms to ${s.clause} so far as it ran`,
  ].filter(Boolean);
  return el('figure', el('figcaption', el('b', s.name), ' ', s.column,
      el('br'), words.join(', '), s.worst_at && el('span.note', el('br'),
          'largest at ', el('code', s.worst_at), ': ', el('code', s.got),
          ' for ', el('code', s.right))),
  sweepPlot(s, error, words.join(', ')));
}

// Where inputs begin and end on the axis, from 0 to 1. A sweep over pairs is
// drawn over its first operand.
function sweepAxis(s) {
  const f = formats[s.dtype];
  const size = Math.max(1, largest(s.parts.inputs));
  if (!f) {
    const all = s.inputs || sum(s.parts.inputs) || 1;
    return {f: null, span: p => [p * size / all, (p + 1) * size / all]};
  }
  const later = BigInt(f.bits * (s.operands - 1));
  const width = Number(1n << BigInt(f.bits));
  const spread = place => Number(place + (f.unsigned ? 0n : 1n <<
      BigInt(f.bits - 1))) / width;
  return {
    f,
    at: bits => spread(ordinal(f, bits)),
    operand: n => n >> later,
    size,
    span: p => {
      const first = BigInt(p) * BigInt(size) >> later;
      const last = (BigInt(p) * BigInt(size) + BigInt(size - 1)) >> later;
      if ((first & f.sign) !== (last & f.sign)) return [0, 1];
      const ends = [spread(ordinal(f, first)), spread(ordinal(f, last))];
      return [Math.min(...ends), Math.max(...ends) + 1 / width];
    },
  };
}

function sweepPlot(s, most, words) {
  const [width, height, base, top, left] = [640, 170, 138, 14, 34];
  const axis = sweepAxis(s);
  const x = share => left + share * (width - left - 8);
  // Linear up to a few ulp, by powers of two beyond.
  const scale = most > 16 ? e => Math.log2(1 + e) : e => e;
  const full = scale(Math.max(1, most));
  const y = e => base - (base - top) * scale(e) / full;
  const out = svg('svg.sweep', {
    viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `${s.name} on ${s.column}: ${words}`,
  });
  for (const e of ticksUpTo(Math.max(1, most))) {
    out.append(svg('line.rule', {x1: left, x2: width - 8, y1: y(e), y2: y(e)}));
    out.append(svg('text.tick', {x: left - 4, y: y(e) + 3,
      'text-anchor': 'end'}, shortNumber(e)));
  }
  const paths = {good: '', bad: ''};
  s.parts.part.forEach((p, i) => {
    const [a, b] = axis.span(p).map(x);
    const bad = s.parts.broken[i] > 0;
    const w = Math.max(.6, b - a);
    const h = y(s.parts.error[i]);
    paths[bad ? 'bad' : 'good'] +=
        `M${a.toFixed(2)} ${base}V${h.toFixed(2)}h${w.toFixed(2)}V${base}z`;
  });
  out.append(svg('path.good', {d: paths.good}),
      svg('path.bad', {d: paths.bad}));
  const marked = s.parts.part.filter((_, i) => s.parts.broken[i] > 0);
  for (const p of marked.filter((_, i) =>
      i % Math.ceil(marked.length / 40) === 0)) {
    const [a, b] = axis.span(p).map(x);
    out.append(svg('text.mark', {x: (a + b) / 2, y: base + 9,
      'text-anchor': 'middle'}, '✗'));
  }
  out.append(svg('line.axis', {x1: left, x2: width - 8, y1: base, y2: base}));
  for (const [share, text] of inputTicks(axis)) {
    out.append(svg('text.tick', {x: x(share), y: base + 22,
      'text-anchor': 'middle'}, text));
  }
  return out;
}

function ticksUpTo(most) {
  if (most <= 16) {
    const step = most <= 1 ? .5 : most <= 4 ? 1 : 4;
    return Array.from({length: Math.floor(most / step) + 1},
        (_, i) => i * step);
  }
  const powers = Math.log2(most);
  const step = Math.ceil(powers / 5);
  return [0, ...Array.from({length: Math.floor(powers / step)},
      (_, i) => 2 ** ((i + 1) * step))];
}

// Powers of two that the format has, of either sign.
function inputTicks({f, at}) {
  if (!f) return [];
  const one = BigInt(f.bias) << BigInt(f.fraction);
  const far = BigInt(Math.floor(f.bias / 2)) << BigInt(f.fraction);
  const out = [];
  for (const bits of [one - far, one, one + far]) {
    const text = showValue(decode(f, bits), 2);
    out.push([at(bits), text]);
    if (!f.unsigned) out.push([at(bits | f.sign), '−' + text]);
  }
  out.push([at(0n), f.unsigned ? showValue(decode(f, 0n), 2) : '0']);
  return out;
}
