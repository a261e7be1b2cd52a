"""Scripts that look at an open page and list what is wrong with it."""

# What a reader could not see or reach: text that is cut off by the window,
# controls that lie on one another, a heading out of sight.
LAYOUT = '''(() => {
  const faults = [];
  const box = node => node.getBoundingClientRect();
  const name = node => `${node.tagName}#${node.id}.${node.className}` +
      ` "${node.textContent.slice(0, 20)}"`;
  const seen = node => node.checkVisibility() && box(node).width > 0;
  if (document.documentElement.scrollWidth > innerWidth) {
    faults.push('the page is wider than the window');
  }
  const parts = ['.top', '#filters', '#count', 'main', '#panel']
      .map(s => document.querySelector(s)).filter(seen);
  for (const part of parts) {
    const b = box(part);
    if (b.left < -1 || b.right > innerWidth + 1) {
      faults.push('outside of the window: ' + name(part));
    }
  }
  const controls = [...document.querySelectorAll(
      '.views a, .filters input, .filters select, .filters button, ' +
      '.panel .head h2, .panel .close')].filter(seen);
  const heads = [...document.querySelectorAll('h1, #scope')];
  const all = [...controls, ...heads];
  for (const [i, a] of all.entries()) {
    if (box(a).left > innerWidth) continue;
    for (const b of all.slice(i + 1)) {
      if (a.contains(b) || b.contains(a)) continue;
      const [p, q] = [box(a), box(b)];
      if (p.left < q.right - 1 && q.left < p.right - 1 &&
          p.top < q.bottom - 1 && q.top < p.bottom - 1) {
        faults.push(`${name(a)} lies on ${name(b)}`);
      }
    }
  }
  for (const control of controls) {
    if (control.closest('.panel') || !document.querySelector('.panel[hidden]'))
      continue;
    const b = box(control);
    // In a narrow window the filters scroll.
    if (b.left + b.width / 2 > innerWidth - 12) continue;
    const top = document.elementFromPoint(
        b.left + b.width / 2, b.top + b.height / 2);
    if (!top || !(control.contains(top) || top.contains(control))) {
      faults.push('covered: ' + name(control));
    }
  }
  const matrix = document.querySelector('.matrix');
  if (matrix && seen(matrix)) {
    const [m, corner] = [box(document.querySelector('main')),
                         box(matrix.querySelector('.corner'))];
    if (Math.abs(corner.top - m.top) > 2 || Math.abs(
        corner.left - m.left) > 22) {
      faults.push('the heading is not in its place: ' +
          JSON.stringify([m.top, corner.top, m.left, corner.left]));
    }
    // Columns stand below their headings.
    const th = [...matrix.querySelectorAll('thead tr:last-child th')];
    const row = [...matrix.querySelectorAll('tbody tr')].find(
        tr => tr.querySelectorAll('td').length === th.length);
    [...row.querySelectorAll('td')].forEach((td, i) => {
      if (Math.abs(box(td).left - box(th[i]).left) > 1) {
        faults.push('not below its heading: ' + name(td));
      }
    });
  }
  return faults;
})()'''

# Text whose contrast with what lies behind it is below 4.5 (3 where it is
# large), as WCAG 2 measures it.
CONTRAST = '''(() => {
  const channels = c => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(
      v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
      .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = node => {
    for (let n = node; n; n = n.parentElement) {
      const c = channels(getComputedStyle(n).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const out = new Set();
  for (const node of document.querySelectorAll('body *')) {
    if (!node.checkVisibility() || node.closest('svg, option, .skip') ||
        node.disabled || ![...node.childNodes].some(
            n => n.nodeType === 3 && n.data.trim())) continue;
    const style = getComputedStyle(node);
    const [a, b] = [light(channels(style.color)), light(ground(node))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    const least = parseFloat(style.fontSize) >= 24 ? 3 : 4.5;
    if (ratio < least) {
      out.add(`${node.tagName}.${node.className} ${ratio.toFixed(2)}`);
    }
  }
  return [...out];
})()'''

# Everything that is clicked or read aloud has a name.
NAMELESS = '''[...document.querySelectorAll(
    'a, button, input, select, [role=img], [role=list], td[role=gridcell]')]
    .filter(n => n.checkVisibility() && !(n.ariaLabel ||
        n.getAttribute('aria-label') || n.textContent.trim() ||
        n.labels?.length)).map(n => n.outerHTML.slice(0, 80))'''
