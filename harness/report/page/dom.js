// Elements in one line: el('p.note', {title: 'x'}, 'text', child). Text is
// always text: nothing that was recorded becomes markup.
function el(what, ...rest) {
  const [tag, ...classes] = what.split('.');
  return fill(document.createElement(tag || 'div'), classes, rest);
}

function svg(what, ...rest) {
  const [tag, ...classes] = what.split('.');
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag),
      classes, rest);
}

function fill(node, classes, rest) {
  if (classes.length) node.classList.add(...classes);
  for (const item of rest.flat()) {
    if (item === null || item === undefined || item === false) continue;
    if (item instanceof Node || typeof item !== 'object') {
      node.append(item);
      continue;
    }
    for (const [name, value] of Object.entries(item)) {
      if (name.startsWith('on')) {
        node.addEventListener(name.slice(2), value);
      } else if (value === true) {
        node.setAttribute(name, '');
      } else if (value !== false && value !== null && value !== undefined) {
        node.setAttribute(name, value);
      }
    }
  }
  return node;
}

const byId = id => document.getElementById(id);

// A status as a badge: sign and word.
function badge(status, known) {
  const look = lookOf(status, known);
  const word = look === knownLook && status !== 'fail' ?
      `known ${looks[status].word}` : look.word;
  return el(`span.badge.${look.tone}`, el('span.sign', {'aria-hidden': 'true'},
      look.sign), ' ', word);
}

// Only what leads to a web page becomes a link.
function linkTo(address) {
  return /^https?:\/\//.test(address) ?
      el('a', {href: address, rel: 'noreferrer', target: '_blank'}, address) :
      el('code', address);
}

function copyable(text) {
  const button = el('button.copy', {type: 'button', onclick: copy}, 'Copy');
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      const range = document.createRange();
      range.selectNodeContents(line);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      button.textContent = 'Selected';
    }
    setTimeout(() => button.textContent = 'Copy', 1500);
  }
  const line = el('code', text);
  return el('div.command', line, button);
}

// "f32", "u8" after the word that it names, and so on, cut to a length.
function cut(text, most) {
  return text.length > most ? text.slice(0, most - 1) + '…' : text;
}
