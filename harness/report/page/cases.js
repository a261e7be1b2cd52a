// Lists of results: only the lines in sight are elements.

// `make(i)` is line i, an element of `height` pixels. Keys: up and down move,
// Enter clicks.
function virtualList(count, height, make, label) {
  const inner = el('div.lines');
  inner.style.height = `${count * height}px`;
  const box = el('div.list', {
    role: 'list', tabindex: 0, 'aria-label': label,
  }, inner);
  const made = new Map();
  let at = 0;
  function show() {
    const first = Math.max(0, Math.floor(box.scrollTop / height) - 10);
    const end = Math.min(count,
        Math.ceil((box.scrollTop + (box.clientHeight || 800)) / height) + 10);
    for (const [i, node] of made) {
      if (i < first || i >= end) {
        node.remove();
        made.delete(i);
      }
    }
    for (let i = first; i < end; ++i) {
      if (made.has(i)) continue;
      const node = make(i);
      node.style.top = `${i * height}px`;
      node.style.height = `${height}px`;
      node.setAttribute('aria-setsize', count);
      node.setAttribute('aria-posinset', i + 1);
      node.classList.toggle('at', i === at);
      made.set(i, node);
      inner.append(node);
    }
  }
  function moveTo(i) {
    made.get(at)?.classList.remove('at');
    at = Math.max(0, Math.min(count - 1, i));
    const top = at * height;
    const sight = box.clientHeight - height;
    if (top < box.scrollTop) box.scrollTop = top;
    if (top > box.scrollTop + sight) box.scrollTop = top - sight;
    show();
    made.get(at)?.classList.add('at');
  }
  box.addEventListener('scroll', show, {passive: true});
  box.addEventListener('keydown', event => {
    const page = Math.floor(box.clientHeight / height);
    const to = {
      ArrowUp: at - 1, ArrowDown: at + 1, PageUp: at - page,
      PageDown: at + page, Home: 0, End: count - 1,
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      moveTo(to);
    } else if (event.key === 'Enter' && event.target === box) {
      event.preventDefault();
      made.get(at)?.click();
    }
  });
  new ResizeObserver(show).observe(box);
  show();
  return box;
}

// The worst first: by status, what is not known before what is, by error. In
// long lists what did not fail keeps its order: sorting it would be felt.
function worstFirst(list) {
  const byStatus = names.status.map(() => []);
  for (const r of list) byStatus[records.status[r]].push(r);
  const worse = (a, b) => records.known[a] - records.known[b] ||
      errorOf(b) - errorOf(a) || a - b;
  byStatus.forEach((own, status) => {
    if (status >= rankOf.flaky || own.length < 5000) own.sort(worse);
  });
  return byStatus.reverse().flat();
}

function openCase(r) {
  const c = records.case[r];
  go({
    row: rows[cases.row[c]].name,
    column: columns[records.column[r]].name,
    case: restOf(c),
  });
}

function renderCases(main) {
  const list = worstFirst(chosenRecords());
  if (list.length === 0) {
    main.replaceChildren(el('p.empty', 'No result fits these filters.'));
    return;
  }
  const heads = ['Status', 'Case', 'Column', 'Clause', 'Error', 'Reason'];
  main.replaceChildren(el('div.cases',
      el('div.line.head', {'aria-hidden': 'true'},
          heads.map(h => el('span', h))),
      virtualList(list.length, 28, i => caseLine(list[i]),
          'Results, the worst first')));
}

function caseLine(r) {
  const c = records.case[r];
  return el('div.line', {role: 'listitem', onclick: () => openCase(r)},
      badge(statusOf(r), records.known[r]),
      el('code', {title: pathOf(c)}, pathOf(c)),
      el('span', columns[records.column[r]].name),
      el('span', clauseOf(r)),
      el('span.number', shortNumber(errorOf(r))),
      el('span.reason', cut(strings[records.reason[r]], 300)));
}

// Columns that a cell stands for: one, or those of a folded group.
function columnsNamed(name) {
  return columnParts.filter(
      p => p.name === name || `${p.subject}/${p.family}` === name);
}

// The cases of the open cell.
function cellPanel() {
  const own = new Set(columnsNamed(state.column).map(p => p.number));
  const row = rows.findIndex(row => row.name === state.row);
  const list = worstFirst(chosenRecords().filter(
      r => own.has(records.column[r]) && cases.row[records.case[r]] === row));
  const head = panelHead(state.row, state.column);
  if (row < 0 || own.size === 0) {
    return [head, el('p.empty', 'This page has no such cell.')];
  }
  if (list.length === 0) {
    return [head, el('p.empty', isFiltered() ?
        'No case of this cell fits the filters.' :
        'None of its cases has a result: they were not run.')];
  }
  return [
    head, el('p.note', countWords(list)),
    virtualList(list.length, 46, i => cellLine(list[i], own.size > 1),
        `Cases of ${state.row}, the worst first`),
  ];
}

function countWords(list) {
  const counts = new Map();
  for (const r of list) {
    const {word} = lookOf(statusOf(r), records.known[r]);
    counts.set(word, (counts.get(word) || 0) + 1);
  }
  return [...counts].map(([word, n]) => `${n} ${word}`).join(', ');
}

function cellLine(r, several) {
  const c = records.case[r];
  const error = errorOf(r);
  const second = strings[records.reason[r]] ||
      (error > 0 ? `error ${shortNumber(error)} of its bound` : '');
  return el('div.line.two', {role: 'listitem', onclick: () => openCase(r)},
      badge(statusOf(r), records.known[r]),
      el('code', {title: pathOf(c)}, restOf(c)),
      el('span.reason', several && el('b',
          columns[records.column[r]].name + ' '), clauseOf(r), ' ',
      cut(second, 200)));
}
