'use strict';
// What was recorded, as it came: tables of columns, strings by number.
// page_data.cc writes it, and says what the fields mean.
const data = JSON.parse(document.getElementById('data').textContent);
const {strings, names, columns, rows, cases, records, witnesses} = data;

const caseCount = cases.row.length;
const recordCount = records.case.length;

// Records by case, in the order of columns: those of case c are
// ofCase[start[c]] up to ofCase[start[c + 1]].
const start = new Uint32Array(caseCount + 1);
for (const c of records.case) ++start[c + 1];
for (let c = 0; c < caseCount; ++c) start[c + 1] += start[c];
const ofCase = new Uint32Array(recordCount);
{
  const next = start.slice();
  for (let r = 0; r < recordCount; ++r) ofCase[next[records.case[r]]++] = r;
}

function pathOf(c) {
  const row = rows[cases.row[c]].name;
  const rest = strings[cases.rest[c]];
  if (rest === '') return row;
  return rest.startsWith('/') ? rest.slice(1) : `${row}/${rest}`;
}

function restOf(c) {
  return strings[cases.rest[c]] || pathOf(c);
}

const statusOf = r => names.status[records.status[r]];
const classOf = r => names.class[records.class[r]];
const isDerived = r => names.lowering[records.lowering[r]] === 'derived';
const anyDerived = records.lowering.some((_, r) => isDerived(r));
const errorOf = r => records.error[r] < 0 ? Infinity : records.error[r];
const clauseOf = r => strings[records.clause[r]];

function witnessOf(r) {
  const w = records.witness[r] - 1;
  if (w < 0) return null;
  return {
    output: witnesses.output[w],
    element: witnesses.element[w],
    inputs: strings[witnesses.inputs[w]],
    got: strings[witnesses.got[w]],
    admissible: strings[witnesses.admissible[w]],
    exact: strings[witnesses.exact[w]],
  };
}

function programOf(c) {
  return data.programs[cases.program[c]].map(line => strings[line]).join('\n');
}

// "inductor@2.11.0/cuda-sm_90 [run-2]" in parts. What follows the device's
// family is the target: an instruction set, an SM generation. In brackets
// stands the run, where several have the same column.
function partsOf(column, number) {
  const [, name, run = ''] = /^(.*?)(?: (\[.*\]))?$/.exec(column.name);
  const [, subject, version, device] =
      /^([^@/]*)(?:@([^/]*))?\/?(.*)$/.exec(name);
  const [, family, target] = /^([a-z0-9]*)-?(.*)$/i.exec(device);
  return {
    number,
    name: column.name,
    subject,
    version: version || '',
    family: family || 'other',
    target,
    run,
  };
}
const columnParts = columns.map(partsOf);

// How a status looks: a sign, a word and a tone, so that no meaning hangs on
// colour. `rank` is its place from good to bad, that of names.status.
const looks = {
  pass: {sign: '✓', word: 'pass', tone: 'good'},
  unsupported: {sign: '–', word: 'unsupported', tone: 'mute'},
  not_run: {sign: '○', word: 'not run', tone: 'mute'},
  waived: {sign: '≈', word: 'waived', tone: 'mute'},
  quality_warning: {sign: '!', word: 'warning', tone: 'warn'},
  hardware: {sign: '⌁', word: 'hardware', tone: 'hard'},
  flaky: {sign: '~', word: 'flaky', tone: 'bad'},
  mistrusted: {sign: '?', word: 'mistrusted', tone: 'odd'},
  fail: {sign: '✗', word: 'fail', tone: 'bad'},
  timeout: {sign: '◷', word: 'timeout', tone: 'bad'},
  crash: {sign: '✸', word: 'crash', tone: 'bad'},
  device_lost: {sign: '⊘', word: 'device lost', tone: 'odd'},
  internal_error: {sign: '⚠', word: 'internal error', tone: 'odd'},
};
const knownLook = {sign: '◆', word: 'known', tone: 'known'};
const rankOf = Object.fromEntries(names.status.map((name, i) => [name, i]));

// A failure that results/known lists has a look of its own.
function lookOf(status, known) {
  return known && rankOf[status] >= rankOf.flaky ? knownLook : looks[status];
}
