// Patterns bit by bit: sign, exponent and fraction apart, and where they
// differ from `other` marked.
function bitRow(f, label, bits, other) {
  const text = bits.toString(2).padStart(f.bits, '0');
  const against = other === null ? text :
                                   other.toString(2).padStart(f.bits, '0');
  const signs = f.unsigned ? 0 : 1;
  const fields = [
    ['sign', 0, signs],
    ['exponent', signs, signs + f.exponent],
    ['fraction', signs + f.exponent, f.bits],
  ].filter(([, from, to]) => to > from);
  const words = fields.map(([name, from, to]) =>
      `${name} ${parseInt(text.slice(from, to), 2)}`).join(', ');
  return el('tr', el('th', {scope: 'row'}, label),
      el('td', el('code', hexOf(f, bits)), el('br'),
          el('span.value', showValue(decode(f, bits), f.digits))),
      el('td.bits', {'aria-label': words, role: 'img'},
          fields.map(([name, from, to]) => el(`span.${name}`,
              [...text.slice(from, to)].map((bit, i) =>
                  bit === against[from + i] ? bit : el('u', bit))))));
}

// The admissible element that is nearest to `place`.
function nearestIn(f, ranges, place) {
  let best = null;
  let least = null;
  for (const [lo, hi] of ranges) {
    const [a, b] = [ordinal(f, lo.bits), ordinal(f, hi.bits)];
    const near = place < a ? a : place > b ? b : place;
    const away = near > place ? near - place : place - near;
    if (least === null || away < least) [best, least] = [near, away];
  }
  return best;
}

function bitTable(f, got, set) {
  const out = [];
  const near = set && !Number.isNaN(got.value) && set.ranges.length > 0 ?
      nearestIn(f, set.ranges, ordinal(f, got.bits)) : null;
  const compare = near !== null ? bitsAt(f, near) :
      set && set.ranges.length > 0 ? set.ranges[0][0].bits : null;
  out.push(bitRow(f, 'got', got.bits, compare));
  if (compare !== null) {
    out.push(bitRow(f, 'admissible', compare, got.bits));
  }
  return el('table.bits', {
    'aria-label': `Bits, as ${f.name}: sign, exponent, fraction`,
  }, el('tbody', out));
}
