// Puts the parts together and renders what changed.
function views() {
  return [
    columns.length > 0 && ['matrix', 'Matrix', renderMatrix],
    columns.length > 0 && ['cases', 'Cases', renderCases],
    columns.length > 0 && ['errors', 'Errors', renderErrors],
    data.sweeps.length > 0 && ['sweeps', 'Sweeps', renderSweeps],
    ['summary', 'Summary', renderSummary],
  ].filter(Boolean);
}

// The view of the address, or the first one.
function currentView() {
  return views().find(([name]) => name === state.view) || views()[0];
}

function renderTop() {
  const {exit} = data;
  byId('meaning').textContent = exit.meaning;
  byId('meaning').className = `meaning exit${exit.code}`;
  byId('scope').textContent = data.title.replace(/^assay /, '') +
      (data.runs.length > 1 ? `; ${data.runs.length} runs` : '');
  const [current] = currentView();
  byId('views').replaceChildren(...views().map(([name, label]) => el('a', {
    href: addressOf({view: name}),
    'aria-current': name === current ? 'page' : false,
  }, label)));
}

const uniqueSorted = list => [...new Set(list)].filter(Boolean)
    .sort(byVersion);

function choices() {
  const statuses = [...new Set(records.status)].sort((a, b) => b - a)
      .map(s => names.status[s]);
  return {
    status: [...Object.keys(statusGroups), ...statuses],
    class: uniqueSorted(records.class.filter(Boolean)
        .map(n => names.class[n])),
    kind: names.kind,
    family: uniqueSorted(rows.map(familyOf)),
    dtype: uniqueSorted([...cases.dtype.map(n => strings[n]).join('-')
        .split('-'), ...data.sweeps.map(s => s.dtype)]),
    subject: [...uniqueSorted(columnParts.map(p => p.subject)),
      ...columnParts.map(p => p.name)],
  };
}

function buildFilters() {
  const form = byId('filters');
  const set = name => event => go({[name]: event.target.value}, true);
  form.append(el('label.search', el('span', 'Search'), el('input', {
    id: 'q', type: 'search', placeholder: 'case, clause, reason  ( / )',
    autocomplete: 'off', spellcheck: 'false', oninput: set('q'),
  })));
  for (const [name, values] of Object.entries(choices())) {
    const empty = values.length === 0;
    form.append(el('label', {hidden: empty}, el('span', name), el('select',
        {id: name, onchange: set(name)}, el('option', {value: ''}, 'all'),
        values.map(v => el('option', {value: v}, v.replaceAll('_', ' '))))));
  }
  const clauses = uniqueSorted(
      [...new Set(records.clause)].map(n => strings[n]));
  form.append(el('label', el('span', 'clause'), el('input', {
    id: 'clause', list: 'clauses', placeholder: 'bmm/E4, A1, E',
    autocomplete: 'off', spellcheck: 'false', oninput: set('clause'),
  }), el('datalist', {id: 'clauses'},
      clauses.map(c => el('option', {value: c})))));
  const versions = groups.some(g => new Set(
      g.columns.map(p => p.target)).size < g.columns.length);
  if (versions) {
    form.append(el('label.check', el('input', {
      id: 'differ', type: 'checkbox',
      onchange: e => go({differ: e.target.checked ? '1' : ''}, true),
    }), el('span', 'rows that differ between versions or runs')));
  }
  form.append(el('button', {
    type: 'button', id: 'reset', onclick: () => go(Object.fromEntries(
        [...filterNames, 'differ'].map(name => [name, '']))),
  }, 'Reset'));
  form.addEventListener('submit', event => event.preventDefault());
}

function showFilters() {
  for (const name of filterNames) {
    const field = byId(name);
    if (field && field.value !== state[name]) field.value = state[name];
    field?.classList.toggle('set', state[name] !== '');
  }
  if (byId('differ')) byId('differ').checked = state.differ !== '';
  byId('reset').disabled = !isFiltered() && !state.differ;
  byId('count').textContent = columns.length === 0 ? '' : isFiltered() ?
      `${chosenRecords().length.toLocaleString('en')} of ` +
      `${plural(recordCount, 'result')} fit the filters` :
      `${plural(recordCount, 'result')} of ${plural(caseCount, 'case')} ` +
      `in ${plural(columns.length, 'column')}`;
}

function renderPanel(before) {
  const panel = byId('panel');
  const open = state.row !== '' && columns.length > 0;
  const was = before.row !== '';
  panel.hidden = !open;
  document.body.classList.toggle('opened', open);
  if (open) {
    panel.replaceChildren(
        ...(state.case ? casePanel() : cellPanel()).filter(Boolean));
    // Keys go where the eyes go, unless one is typing.
    if (changed(before, ['row', 'column', 'case'])) {
      const list = panel.querySelector('.list');
      (list || panel.querySelector('h2')).focus({preventScroll: true});
      document.querySelector('td.open')?.scrollIntoView(
          {block: 'nearest', inline: 'nearest'});
    }
  } else if (was) {
    panel.replaceChildren();
    const back = document.querySelector('td[tabindex="0"]');
    if (back) back.focus();
  }
}

const changed = (before, wanted) =>
    wanted.some(name => before[name] !== state[name]);

function render(before) {
  renderTop();
  showFilters();
  const main = byId('main');
  if (changed(before, ['view', 'fold', 'differ', ...filterNames])) {
    const top = before.view === state.view ? main.scrollTop : 0;
    const focused = document.activeElement?.closest?.('.fold, td');
    const label = focused?.textContent;
    currentView()[2](main);
    main.dataset.view = currentView()[0];
    main.scrollTop = top;
    if (label) restoreFocus(main, label);
  } else if (changed(before, ['row', 'column'])) {
    markOpenCell();
  }
  if (changed(before, ['row', 'column', 'case', ...filterNames])) {
    renderPanel(before);
  }
}

// After a fold, the button that was pressed has another element.
function restoreFocus(main, label) {
  [...main.querySelectorAll('.fold')]
      .find(button => button.textContent === label)?.focus();
}

buildFilters();
watchers.push(render);
render(Object.fromEntries(
    Object.keys(defaults).map(name => [name, name === 'row' ? '' : null])));
document.documentElement.dataset.ready =
    String(Math.round(performance.now()));
