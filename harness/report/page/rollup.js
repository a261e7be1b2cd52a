// Cells from records: the worst status wins, as in matrix.cc.
const evidenceWeakest = names.evidence.length;

function emptyCell() {
  return {
    worst: -1, cases: 0, wrong: 0, failures: 0, known: 0, error: 0,
    class: 0, evidence: evidenceWeakest, derived: 0,
  };
}

function addTo(cell, r) {
  const status = records.status[r];
  ++cell.cases;
  cell.worst = Math.max(cell.worst, status);
  if (status !== rankOf.pass && status !== rankOf.quality_warning) {
    ++cell.wrong;
  } else {
    cell.evidence = Math.min(cell.evidence, records.evidence[r]);
  }
  if (status >= rankOf.flaky) {
    ++cell.failures;
    if (records.known[r]) ++cell.known;
  }
  const failure = records.class[r];
  if (failure > 0) {
    cell.class = cell.class > 0 ? Math.min(cell.class, failure) : failure;
  }
  cell.error = Math.max(cell.error, errorOf(r));
  if (isDerived(r)) ++cell.derived;
}

// Cases that a column should have had: without filters, what is missing was
// not run, and no cell is blank.
const casesOfRow = new Uint32Array(rows.length);
for (const row of cases.row) ++casesOfRow[row];

// Rows by number, each with a cell per column; rows without records are left
// out.
function rollUp() {
  const out = new Map();
  for (const r of chosenRecords()) {
    const row = cases.row[records.case[r]];
    let cells = out.get(row);
    if (!cells) out.set(row, cells = columns.map(emptyCell));
    addTo(cells[records.column[r]], r);
  }
  if (isFiltered()) return out;
  for (let row = 0; row < rows.length; ++row) {
    let cells = out.get(row);
    if (!cells) out.set(row, cells = columns.map(emptyCell));
    for (const cell of cells) {
      const missing = casesOfRow[row] - cell.cases;
      if (missing <= 0) continue;
      cell.worst = Math.max(cell.worst, rankOf.not_run);
      cell.wrong += missing;
      cell.cases += missing;
    }
  }
  return out;
}

// Several columns as one, where their group is folded.
function joined(cells) {
  const out = emptyCell();
  for (const c of cells) {
    out.worst = Math.max(out.worst, c.worst);
    for (const sum of ['cases', 'wrong', 'failures', 'known', 'derived']) {
      out[sum] += c[sum];
    }
    out.error = Math.max(out.error, c.error);
    out.evidence = Math.min(out.evidence, c.evidence);
    if (c.class > 0) {
      out.class = out.class > 0 ? Math.min(out.class, c.class) : c.class;
    }
  }
  return out;
}

function lookOfCell(cell) {
  if (cell.worst < 0) return {sign: '·', word: 'no case', tone: 'mute'};
  return lookOf(names.status[cell.worst],
      cell.failures > 0 && cell.known === cell.failures);
}

function shortNumber(x) {
  if (x === Infinity) return '∞';
  if (x === 0) return '0';
  if (x >= 1e4) return x.toExponential(0).replace('e+', 'e');
  if (x >= 100) return x.toFixed(0);
  return String(Number(x.toPrecision(2)));
}

const plural = (n, word) =>
    `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;

// A cell for who hears it.
function cellWords(cell) {
  const look = lookOfCell(cell);
  if (cell.worst < 0) return look.word;
  const parts = [look.word];
  parts.push(cell.wrong > 0 ? `${cell.wrong} of ${plural(cell.cases, 'case')}` :
                              plural(cell.cases, 'case'));
  if (cell.error > 0) {
    parts.push(`largest error ${shortNumber(cell.error)} of its bound`);
  }
  if (cell.class > 1) parts.push(names.class[cell.class].replace('_', ' '));
  const evidence = names.evidence[cell.evidence];
  if (evidence && evidence !== 'ran') parts.push(evidence.replace('_', ' '));
  if (cell.derived > 0) parts.push('derived from the spec');
  return parts.join(', ');
}
