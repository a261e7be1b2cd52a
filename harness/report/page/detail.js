// One case in one column: what was asked, what came back, what may come back,
// and how to see it again.
function panelHead(title, below) {
  return el('header.head',
      el('div', el('h2', {tabindex: -1}, title), el('p.note', below)),
      el('button.close', {
        type: 'button', 'aria-label': 'Close', onclick: closePanel,
      }, '✕'));
}

function closePanel() {
  go(state.case ? {case: ''} : {row: '', column: ''});
}

// The record that the address names, or -1.
function openRecord() {
  const own = new Set(columnsNamed(state.column).map(p => p.number));
  for (let c = 0; c < caseCount; ++c) {
    if (rows[cases.row[c]].name !== state.row || restOf(c) !== state.case) {
      continue;
    }
    for (let i = start[c]; i < start[c + 1]; ++i) {
      if (own.has(records.column[ofCase[i]])) return ofCase[i];
    }
  }
  return -1;
}

function casePanel() {
  const r = openRecord();
  if (r < 0) {
    return [
      panelHead(state.case, `${state.row}, ${state.column}`),
      el('p.empty', 'This page has no such case in this column.'),
    ];
  }
  const c = records.case[r];
  const column = columns[records.column[r]];
  const reason = strings[records.reason[r]];
  const link = strings[records.link[r]];
  return [
    panelHead(restOf(c), `${rows[cases.row[c]].name}, ${column.name}`),
    el('div.scroll',
        el('p.verdict', badge(statusOf(r), records.known[r]), ' ',
            reason || 'Every output is in its acceptance set.'),
        factList(r),
        link && el('p.note', 'Known: ', linkTo(link)),
        ...witnessParts(witnessOf(r)),
        otherColumns(c, r),
        ...programParts(c),
        el('h3', 'See it again'),
        ...commandsFor(c, records.column[r]).map(copyable)),
  ];
}

function factList(r) {
  const facts = [
    ['status', names.status[records.status[r]].replace('_', ' ')],
    ['class', records.class[r] > 0 && classOf(r).replace('_', ' ')],
    ['clause', clauseOf(r)],
    ['error over bound', shortNumber(errorOf(r))],
    ['wrong elements', records.elements[r] > 0 &&
      `${records.wrong[r].toLocaleString('en')} of ` +
      records.elements[r].toLocaleString('en')],
    ['evidence', names.evidence[records.evidence[r]].replace('_', ' ')],
    ['lowering', records.lowering[r] > 0 &&
      names.lowering[records.lowering[r]]],
    ['verdict', names.verdict[records.verdict[r]].replaceAll('_', ' ')],
  ];
  return el('dl.facts', facts.filter(([, value]) => value).map(
      ([name, value]) => el('div', el('dt', name), el('dd', value))));
}

function witnessParts(w) {
  if (!w) return [];
  const got = parseElement(w.got);
  const set = parseSet(w.admissible);
  const exact = parseNumber(w.exact.split(' = ')[0]);
  const line = numberLine(got, set, exact);
  const elements = set ? [...set.ranges.flat(), ...(got ? [got] : [])] : [];
  const f = elements.length > 0 && elements.every(e => e.bits !== undefined) ?
      formatOf(elements) : null;
  const notes = [];
  if (set?.nan) notes.push('NaN is admissible too.');
  if (set?.eitherZero) notes.push('Zero may have either sign.');
  if (got && Number.isNaN(got.value)) {
    notes.push('What came back is NaN, which has no place on the line.');
  }
  return [
    el('h3', `Witness: output ${w.output}, element ${w.element}`),
    el('dl.witness', [
      ['operands', w.inputs], ['got', w.got], ['admissible', w.admissible],
      ['exact', w.exact],
    ].filter(([, value]) => value).map(([name, value]) => el('div',
        el('dt', name), el('dd', el('code', value))))),
    line && el('figure', line, el('figcaption',
        'Filled: admissible. Hollow: neighbours. Cross: what came back. ' +
        notes.join(' '))),
    f && got && bitTable(f, got, set),
  ];
}

function otherColumns(c, open) {
  const own = [...ofCase.subarray(start[c], start[c + 1])];
  if (own.length < 2) return null;
  return el('section', el('h3', 'The same case in all columns'),
      el('table.others', el('tbody', own.map(r => el('tr',
          {class: r === open ? 'this' : false},
          el('td', badge(statusOf(r), records.known[r])),
          el('td', r === open ? el('b', columns[records.column[r]].name) :
              el('a', {
                href: addressOf({column: columns[records.column[r]].name}),
              }, columns[records.column[r]].name)),
          el('td.number', shortNumber(errorOf(r))),
          el('td', records.class[r] > 0 && classOf(r).replace('_', ' ')))))));
}

function programParts(c) {
  const text = programOf(c);
  return text === '' ? [] : [el('h3', 'Program'),
    data.other_specs && el('p.note', 'As the specs had it when this page was ' +
        'made; a run in it had other specs.'),
    el('pre', {tabindex: 0, 'aria-label': 'Program'}, text)];
}

// As a shell reads it.
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word :
      `'${word.replaceAll('\'', '\'\\\'\'')}'`;
}

function commandsFor(c, column) {
  const subject = columns[column].subject;
  const strict = data.strict ? ' --strict' : '';
  const on = subject === '' ? '' : ` --subject ${quoted(subject)}`;
  const path = quoted(pathOf(c));
  return [
    `./assay run ${path} --profile full${on}${strict}`,
    `./assay repro ${path}${on}${strict}`,
    `./assay explain ${path}${on}${strict}`,
  ];
}
