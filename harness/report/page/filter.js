// Which records count: those that all filters let through.
const filterNames =
    ['q', 'status', 'class', 'clause', 'dtype', 'subject', 'family', 'kind'];

const statusGroups = {
  'any failure': r => records.status[r] >= rankOf.flaky,
  'failures not known': r =>
      records.status[r] >= rankOf.flaky && !records.known[r],
  'known failures': r =>
      records.status[r] >= rankOf.flaky && records.known[r],
};

const isFiltered = () => filterNames.some(name => state[name] !== '');

// Text in lower case by string number: made when it is first looked for.
const lowered = [];
function lower(number) {
  return lowered[number] ??= strings[number].toLowerCase();
}

// Numbers of strings that hold the text.
function stringsWith(text) {
  const found = new Uint8Array(strings.length);
  for (let i = 0; i < strings.length; ++i) {
    if (lower(i).includes(text)) found[i] = 1;
  }
  return found;
}

// Every word has to occur: in the path, the column, the clause or the reason.
function textTest(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const tests = words.map(word => {
    const inString = stringsWith(word);
    const inColumn = columns.map(c => c.name.toLowerCase().includes(word));
    const inRow = rows.map(row => row.name.toLowerCase().includes(word));
    const whole = word.includes('/') ?
        Array.from({length: caseCount},
            (_, c) => pathOf(c).toLowerCase().includes(word)) : [];
    return r => {
      const c = records.case[r];
      return inRow[cases.row[c]] || inString[cases.rest[c]] ||
          inColumn[records.column[r]] || inString[records.clause[r]] ||
          inString[records.reason[r]] || whole[c];
    };
  });
  return r => tests.every(test => test(r));
}

// "A1" of any operation, "bmm/E4" of one, "E" all of that letter.
function clauseTest(wanted) {
  const w = wanted.toLowerCase();
  const fits = strings.map((_, i) => {
    const text = lower(i);
    return text === w || text.endsWith('/' + w) || text.startsWith(w + '/') ||
        (/^[a-z]$/.test(w) && new RegExp(`(^|/)${w}\\d+$`).test(text));
  });
  return r => fits[records.clause[r]];
}

function tests() {
  const out = [];
  const byCase = (table, fits) => r => fits(table[records.case[r]]);
  if (state.status) {
    const number = rankOf[state.status];
    out.push(statusGroups[state.status] ||
        (r => records.status[r] === number));
  }
  if (state.class) {
    const number = names.class.indexOf(state.class);
    out.push(r => records.class[r] === number);
  }
  if (state.clause) out.push(clauseTest(state.clause));
  if (state.dtype) {
    const fits = strings.map(s => s.split('-').includes(state.dtype));
    out.push(byCase(cases.dtype, number => fits[number]));
  }
  if (state.subject) {
    const fits = columnParts.map(
        p => p.subject === state.subject || p.name === state.subject);
    out.push(r => fits[records.column[r]]);
  }
  if (state.family) {
    const fits = rows.map(row => familyOf(row) === state.family);
    out.push(byCase(cases.row, number => fits[number]));
  }
  if (state.kind) {
    const number = names.kind.indexOf(state.kind);
    out.push(byCase(cases.kind, kind => kind === number));
  }
  if (state.q.trim()) out.push(textTest(state.q));
  return out;
}

const familyOf = row => row.family || 'other';

// Numbers of the records that count; kept until a filter changes.
let chosen = null;
let chosenFor = null;
function chosenRecords() {
  const key = filterNames.map(name => state[name]).join('\n');
  if (key === chosenFor) return chosen;
  const all = tests();
  const out = new Uint32Array(recordCount);
  let n = 0;
  for (let r = 0; r < recordCount; ++r) {
    if (all.every(test => test(r))) out[n++] = r;
  }
  chosenFor = key;
  chosen = out.subarray(0, n);
  return chosen;
}
