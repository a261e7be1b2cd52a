// Keys that work anywhere. Those of the grid and of lists are theirs.
const keyMeanings = [
  ['arrows, Home, End, Page', 'move in the matrix and in lists'],
  ['Enter', 'opens the cell or the case'],
  ['Esc', 'closes the case, then the cell'],
  ['/', 'searches'],
  ['1 to 5', 'choose a view'],
  ['?', 'shows the summary with these keys'],
];

function keyTable() {
  return el('dl.keys', keyMeanings.map(([key, meaning]) => el('div',
      el('dt', el('kbd', key)), el('dd', meaning))));
}

addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const writing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === 'Escape') {
    if (writing && state.q && event.target.id === 'q') {
      event.preventDefault();
      go({q: ''}, true);
    } else if (writing) {
      event.target.blur();
    } else if (state.row) {
      closePanel();
    }
    return;
  }
  if (writing) return;
  if (event.key === '/') {
    event.preventDefault();
    byId('q').focus();
    byId('q').select();
  } else if (event.key === '?') {
    go({view: 'summary'});
  } else if (/^[1-5]$/.test(event.key)) {
    const view = views()[Number(event.key) - 1];
    if (view) go({view: view[0]});
  }
});
