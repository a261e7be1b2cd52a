// What is shown is what the address says after '#': every view, filter, cell
// and case can be linked, and Back goes back.
const defaults = {
  view: 'matrix',
  row: '',     // with column: the cell that is open
  column: '',
  case: '',    // the case that is open
  q: '',       // text
  status: '',
  class: '',
  clause: '',
  dtype: '',
  subject: '',
  family: '',
  kind: '',
  fold: '',    // folded groups of columns and families of rows, by name
  differ: '',  // '1': rows alone in which versions of a subject differ
};

let state = readState();
const watchers = [];

function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  const out = {...defaults};
  for (const name of Object.keys(defaults)) {
    if (given.has(name)) out[name] = given.get(name);
  }
  return out;
}

function addressOf(changes) {
  const next = {...state, ...changes};
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(next)) {
    if (value !== defaults[name]) out.set(name, value);
  }
  // Slashes and @ are legible and harmless there.
  return '#' + out.toString().replaceAll('%2F', '/').replaceAll('%40', '@');
}

// `quietly`: no new entry in the history, as while one types.
function go(changes, quietly = false) {
  const address = addressOf(changes);
  if (address === (location.hash || '#')) return;
  history[quietly ? 'replaceState' : 'pushState'](null, '', address);
  arrive();
}

function arrive() {
  const before = state;
  state = readState();
  for (const watch of watchers) watch(before);
}
addEventListener('popstate', arrive);
addEventListener('hashchange', () => {
  if (addressOf({}) !== location.hash) arrive();
});
