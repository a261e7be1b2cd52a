// How the errors of each column lie in their bounds.
const edges = [0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1, 2, 10, 1e3, 1e6];
const binNames = ['0', ...edges.slice(1).map(
    (e, i) => `${shortNumber(edges[i])} to ${shortNumber(e)}`),
  'more than 1e6', 'infinite'];
const firstOver = edges.indexOf(1) + 1;

function binOf(error) {
  if (error === 0) return 0;
  if (error === Infinity) return edges.length + 1;
  const i = edges.findIndex(e => error <= e);
  return i < 0 ? edges.length : i;
}

// Of results that have values: what must refuse has no error to measure.
function errorBins() {
  const out = columns.map(() => new Uint32Array(binNames.length));
  for (const r of chosenRecords()) {
    if (records.elements[r] === 0) continue;
    const status = records.status[r];
    if (status === rankOf.unsupported || status === rankOf.not_run) continue;
    ++out[records.column[r]][binOf(errorOf(r))];
  }
  return out;
}

function renderErrors(main) {
  const bins = errorBins();
  const most = Math.max(1, ...bins.map(b => Math.max(...b)));
  const figures = columns.flatMap((column, i) => {
    const total = bins[i].reduce((a, b) => a + b, 0);
    return total === 0 ? [] : [el('figure',
        el('figcaption', el('b', column.name), ' ', errorWords(bins[i], total)),
        histogram(bins[i], most, column.name))];
  });
  main.replaceChildren(el('div.prose', el('h2', 'Error over bound'),
      el('p', 'The largest error of each case as a part of what its clause ' +
        'allows. Bars grow with the logarithm of the count; right of the ' +
        'line, and hatched, is what breaks its bound.')),
  figures.length > 0 ? el('div.figures', figures) :
                       el('p.empty', 'No result with values fits.'));
}

function errorWords(bins, total) {
  const over = bins.slice(firstOver).reduce((a, b) => a + b, 0);
  return `${plural(total, 'case')}, ${over.toLocaleString('en')} over`;
}

function histogram(bins, most, name) {
  const [width, height, base] = [360, 132, 104];
  const step = (width - 8) / bins.length;
  const out = svg('svg.histogram', {
    viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `${name}: ` + [...bins].map((n, i) => [n, binNames[i]])
        .filter(([n]) => n > 0).map(([n, bin]) => `${n} at ${bin}`).join(', '),
  });
  bins.forEach((n, i) => {
    if (n === 0) return;
    const h = 6 + (base - 24) * Math.log1p(n) / Math.log1p(most);
    const x = 4 + i * step;
    out.append(svg(i >= firstOver ? 'rect.over' : 'rect.within', {
      x: x + 1, y: base - h, width: step - 2, height: h,
    }, svg('title', `${binNames[i]}: ${plural(n, 'case')}`)));
    out.append(svg('text.count', {x: x + step / 2, y: base - h - 3,
      'text-anchor': 'middle'}, n < 10000 ? n : n.toExponential(0)));
  });
  out.append(svg('line.axis', {x1: 4, x2: width - 4, y1: base, y2: base}));
  const bound = 4 + firstOver * step;
  out.append(svg('line.bound', {x1: bound, x2: bound, y1: 8, y2: base + 4}));
  const ticks = [[.5, '0'], [6, '½'], [11, 'bound'], [13, '10'],
    [16.5, '∞']];
  for (const [at, text] of ticks) {
    out.append(svg('text.tick', {x: 4 + at * step, y: base + 15,
      'text-anchor': 'middle'}, text));
  }
  return out;
}
