// The matrix: families of rows, groups of columns, both folded at a click.
// It is a grid with one tab stop; arrows move in it.
const isFolded = key => state.fold.split('\n').includes(key);
function toggleFold(key) {
  const keys = state.fold.split('\n').filter(Boolean);
  go({fold: (isFolded(key) ? keys.filter(k => k !== key) :
                             [...keys, key]).join('\n')}, true);
}

const byVersion = new Intl.Collator('en', {numeric: true}).compare;

// Columns of one subject on one family of devices; versions of one target, and
// runs of one version, stand side by side.
const groups = [];
for (const p of columnParts) {
  const key = `${p.subject}/${p.family}`;
  let group = groups.find(g => g.key === key);
  if (!group) {
    groups.push(group = {
      key, subject: p.subject, family: p.family, columns: [],
    });
  }
  group.columns.push(p);
}
for (const g of groups) {
  g.columns.sort((a, b) => byVersion(a.target, b.target) ||
      byVersion(a.version, b.version));
}

// What is one column on the page: a folded group, targets of CUDA whose cells
// are all alike, or a column by itself.
function shownColumns(cellsOfRow) {
  return groups.flatMap(group => {
    if (isFolded(group.key)) {
      return [{group, parts: group.columns, folded: true}];
    }
    const out = [];
    const seen = new Map();
    for (const part of group.columns) {
      const key = group.family === 'cuda' ? looksOf(part, cellsOfRow) : part;
      if (seen.has(key)) {
        seen.get(key).parts.push(part);
        continue;
      }
      const column = {group, parts: [part]};
      seen.set(key, column);
      out.push(column);
    }
    return out;
  });
}

function looksOf(part, cellsOfRow) {
  const out = [part.version, part.run];
  for (const cells of cellsOfRow.values()) {
    out.push(cellWords(cells[part.number]));
  }
  return out.join('\n');
}

function targetsOf(parts) {
  if (parts.length === 1) return parts[0].target || parts[0].family;
  return 'sm_' + parts.map(p => p.target.replace('sm_', '')).join(', ');
}

// The column before this one, if it is of the same target: an older version or
// an earlier run.
function versionBefore(shown, i) {
  const [a, b] = [shown[i - 1], shown[i]];
  if (!a || a.group !== b.group || a.folded) return null;
  return a.parts[0].target === b.parts[0].target ? a : null;
}

function cellOf(cells, column) {
  return column.folded ? joined(column.parts.map(p => cells[p.number])) :
                         cells[column.parts[0].number];
}

// Better or worse than the version before: more failures, or a worse status.
function change(before, now) {
  if (before.worst < 0 || now.worst < 0) return 0;
  return Math.sign(now.failures - before.failures) ||
      Math.sign(Math.max(now.worst, rankOf.flaky - 1) -
                Math.max(before.worst, rankOf.flaky - 1));
}

let grid = null;  // {cells: [[td]], at: [row, column]}

function renderMatrix(main) {
  const cellsOfRow = rollUp();
  const shown = shownColumns(cellsOfRow);
  const families = new Map();
  for (const [row, cells] of cellsOfRow) {
    if (state.differ && !differs(cells, shown)) continue;
    const name = familyOf(rows[row]);
    if (!families.has(name)) families.set(name, []);
    families.get(name).push([row, cells]);
  }
  grid = {cells: [], at: [0, 0]};
  const body = el('tbody');
  // Programs first, as everywhere: they are where bugs were seen.
  const order = [...families.keys()].sort(
      (a, b) => (b === 'programs') - (a === 'programs') || byVersion(a, b));
  for (const name of order) addFamily(body, name, families.get(name), shown);
  if (order.length === 0) {
    main.replaceChildren(el('p.empty', state.differ ?
        'No row differs between versions.' : 'No result fits these filters.'));
    return;
  }
  const table = el('table.matrix', {
    role: 'grid', 'aria-label': 'Results by row and column',
    onkeydown: moveInGrid, onclick: openFromGrid, onfocusin: followFocus,
  }, heading(shown), body);
  main.replaceChildren(table);
  const open = table.querySelector('td.open') || grid.cells[0]?.[0];
  if (open) {
    grid.at = placeOf(open);
    open.tabIndex = 0;
    if (open.classList.contains('open')) open.scrollIntoView({block: 'center'});
  }
}

function differs(cells, shown) {
  return shown.some((column, i) => {
    const before = versionBefore(shown, i);
    return before &&
        cellWords(cellOf(cells, before)) !== cellWords(cellOf(cells, column));
  });
}

function heading(shown) {
  const first = el('tr', el('th.corner', {rowspan: 2, scope: 'col'}, 'Row'));
  const second = el('tr');
  for (const group of groups) {
    const own = shown.filter(s => s.group === group);
    const folded = isFolded(group.key);
    const several = group.columns.length > 1;
    const label = [el('b', group.subject), ' ', group.family];
    first.append(el('th.group', {colspan: own.length, scope: 'colgroup'},
        several ? el('button.fold', {
          type: 'button', 'aria-expanded': String(!folded),
          onclick: () => toggleFold(group.key),
        }, ...label) : el('span', ...label)));
    own.forEach((column, i) => second.append(
        columnHeading(column, i === 0)));
  }
  return el('thead', first, second);
}

function columnHeading(column, first) {
  const title = column.parts.map(p => p.name).join('\n');
  const [part] = column.parts;
  const text = column.folded ?
      [el('span', `${column.parts.length} columns`)] :
      [el('span', part.version || part.subject), el('br'),
        el('span.target', targetsOf(column.parts)),
        part.run && el('span.run', ' ' + part.run)];
  return el(first ? 'th.first' : 'th', {scope: 'col', title}, ...text);
}

function addFamily(body, name, own, shown) {
  const key = 'family:' + name;
  const folded = isFolded(key);
  const head = el('tr.family', el('th', {
    scope: 'rowgroup', colspan: folded ? 1 : shown.length + 1,
  }, el('button.fold', {
    type: 'button', 'aria-expanded': String(!folded),
    onclick: () => toggleFold(key),
  }, name, ' ', el('span.size', plural(own.length, 'row')))));
  body.append(head);
  if (folded) {
    addCells(head, shown, {family: name}, column => joined(
        own.map(([, cells]) => cellOf(cells, column))));
    return;
  }
  own.sort(([a], [b]) => byVersion(rows[a].name, rows[b].name));
  for (const [row, cells] of own) {
    const tr = el('tr', el('th', {scope: 'row', title: rows[row].name},
        rows[row].name));
    addCells(tr, shown, {row: rows[row].name},
        column => cellOf(cells, column));
    body.append(tr);
  }
}

function addCells(tr, shown, of, cellAt) {
  const line = [];
  shown.forEach((column, i) => {
    const cell = cellAt(column);
    const before = versionBefore(shown, i);
    const moved = before ? change(cellAt(before), cell) : 0;
    const td = cellElement(cell, moved);
    if (shown[i - 1]?.group !== column.group) td.classList.add('first');
    const name = column.folded ? column.group.key : column.parts[0].name;
    td.ariaLabel = `${of.row || of.family}, ${name}: ${cellWords(cell)}` +
        (moved > 0 ? ', worse than before' :
                     moved < 0 ? ', better than before' : '');
    td.target = {...of, column: name};
    if (of.row && of.row === state.row && name === state.column) {
      td.classList.add('open');
      td.ariaSelected = 'true';
    }
    line.push(td);
    tr.append(td);
  });
  grid.cells.push(line);
}

function cellElement(cell, moved) {
  const look = lookOfCell(cell);
  const td = el(`td.${look.tone}`, {role: 'gridcell', tabindex: -1});
  td.append(el('span.sign', look.sign));
  if (cell.worst < 0) return td;
  td.append(el('span.n', cell.wrong > 0 ? `${cell.wrong}/${cell.cases}` :
                                          `${cell.cases}`));
  if (look.tone !== 'mute') td.append(el('span.e', shortNumber(cell.error)));
  if (cell.class > 1) {
    td.append(el('span.class', names.class[cell.class].replace('_', ' ')));
  }
  const evidence = names.evidence[cell.evidence];
  if (evidence && evidence !== 'ran') {
    td.append(el('span.ev', evidence === 'emulated' ? 'emu' : 'cc'));
  }
  if (cell.derived > 0) td.append(el('span.derived', data.derived.mark));
  if (moved) td.append(el('span.moved', moved > 0 ? '▲' : '▼'));
  td.title = cellWords(cell);
  return td;
}

function placeOf(td) {
  const row = grid.cells.findIndex(line => line.includes(td));
  return [row, grid.cells[row].indexOf(td)];
}

function followFocus(event) {
  const td = event.target.closest('td');
  if (!td) return;
  const [row, column] = grid.at;
  const last = grid.cells[row]?.[column];
  if (last) last.tabIndex = -1;
  td.tabIndex = 0;
  grid.at = placeOf(td);
}

function moveInGrid(event) {
  const td = event.target.closest('td');
  if (!td || event.altKey || event.metaKey) return;
  const [row, column] = grid.at;
  const last = grid.cells.length - 1;
  const end = grid.cells[row].length - 1;
  const to = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    PageUp: [Math.max(0, row - 15), column],
    PageDown: [Math.min(last, row + 15), column],
    Home: [event.ctrlKey ? 0 : row, 0],
    End: [event.ctrlKey ? last : row, end],
  }[event.key];
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    openCell(td);
  } else if (to) {
    event.preventDefault();
    const next = grid.cells[to[0]]?.[to[1]];
    if (next) next.focus();
  }
}

function openFromGrid(event) {
  const td = event.target.closest('td');
  if (td) openCell(td);
}

function openCell(td) {
  if (td.target.family) {
    toggleFold('family:' + td.target.family);
  } else {
    go({row: td.target.row, column: td.target.column, case: ''});
  }
}

// Marks what is open, without making the grid anew.
function markOpenCell() {
  if (!grid) return;
  for (const line of grid.cells) {
    for (const td of line) {
      const open = td.target.row !== undefined &&
          td.target.row === state.row && td.target.column === state.column;
      td.classList.toggle('open', open);
      td.ariaSelected = open ? 'true' : null;
    }
  }
}
