// The summary: the decision with its reasons, what is wrong by kind of promise,
// and who and what took part.
function renderSummary(main) {
  const {exit} = data;
  main.replaceChildren(el('div.prose.summary',
      el('h2', exit.code === 0 ? 'Decision' : 'Decision and why'),
      el('p.decision', el('b', exit.meaning), `, exit ${exit.code}`),
      exit.because.length > 0 && el('ul.because',
          exit.because.map(line => el('li', line))),
      exit.reasons > exit.because.length && el('p',
          `and ${exit.reasons - exit.because.length} more`),
      exit.notes.map(note => el('p.note', note)),
      columns.length > 0 && el('section', el('h2', 'Wrong of run'),
          kindTable()),
      el('h2', 'How to read a cell'), legend(),
      el('h2', 'Keys'), keyTable(),
      data.runs.length > 0 && el('h2', 'Identities'),
      data.runs.map(runFacts)));
}

// Rows are columns of the matrix: they may be many.
function kindTable() {
  const run = columns.map(() => names.kind.map(() => [0, 0]));
  const known = columns.map(() => 0);
  for (const r of chosenRecords()) {
    const status = records.status[r];
    if (status === rankOf.unsupported || status === rankOf.not_run) continue;
    const column = records.column[r];
    const tally = run[column][cases.kind[records.case[r]]];
    ++tally[1];
    if (status < rankOf.flaky) continue;
    ++tally[0];
    known[column] += records.known[r];
  }
  return el('div.wide', el('table.kinds', el('thead', el('tr',
      el('th', {scope: 'col'}, 'Column'),
      [...names.kind, 'of these known'].map(
          kind => el('th.number', {scope: 'col'}, kind)))),
  el('tbody', columns.map((column, i) => el('tr',
      el('th', {scope: 'row'}, column.name),
      run[i].map(([wrong, all], kind) => el('td.number', wrong > 0 ?
          el('a', {href: addressOf({
            view: 'cases', status: 'any failure', subject: column.name,
            kind: names.kind[kind],
          })}, `✗ ${wrong}`) : '0', ` / ${all}`)),
      el('td.number', known[i]))))));
}

function legend() {
  const shown = [...names.status.map(status => looks[status]), knownLook];
  const meanings = {
    pass: 'all its cases conform',
    unsupported: 'declared before running that it does not claim this',
    'not run': 'not reached, or the device is absent',
    waived: 'accepted by a certification body',
    warning: 'conforms, but worse than its algorithm should be',
    hardware: 'decided only by hardware that was not there',
    flaky: 'answers differed between runs of the same bits',
    mistrusted: 'the case cannot tell right from wrong',
    fail: 'a clause is broken',
    timeout: 'no answer in time',
    crash: 'the process ended',
    'device lost': 'the device is gone',
    'internal error': 'no answer was worked out, or a fault of the harness',
    known: 'fails as results/known says, with a reason',
  };
  return el('div', el('p', 'Sign, cases (wrong of all), largest error as a ' +
      'part of its bound. “emu”: executed by the PTX machine. “cc”: compiled ' +
      'only. ▲ worse, ▼ better than the version to the left.'),
  anyDerived && el('p', `“${data.derived.mark}”: ${data.derived.note}`),
  el('dl.legend', shown.map(look => el('div',
      el('dt', el(`span.badge.${look.tone}`, el('span.sign', look.sign), ' ',
          look.word)),
      el('dd', meanings[look.word])))));
}

function runFacts({label, header}) {
  const plain = Object.entries(header).filter(
      ([name, value]) => name !== 'columns' && name !== 'assay_results');
  return el('details.run', el('summary', label),
      factTable(plain),
      (header.columns || []).map(column => el('details',
          el('summary', column.column),
          factTable([['subject', column.subject],
            ...Object.entries(column.facts || {})]))));
}

function factTable(facts) {
  return el('table.identities', el('tbody', facts.map(([name, value]) =>
    el('tr', el('th', {scope: 'row'}, name.replaceAll('_', ' ')),
        el('td', typeof value === 'string' ? value :
            JSON.stringify(value))))));
}
