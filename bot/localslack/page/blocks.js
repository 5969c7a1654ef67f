// Block Kit made into DOM nodes. A host says what happens when a person uses an element: host.act(block, element, value).

import { anchor, grid, markdown, node, plainText, richText, safe, textNode } from './text.js';
import { chart } from './chart.js';
import { field } from './fields.js';

// render gives the nodes of a list of blocks.
export function render(blocks, host) {
  return blocks.map((b) => block(b, host)).filter(Boolean);
}

function block(b, host) {
  const { names } = host;
  switch (b.type) {
    case 'header':
      return node('h3', { class: 'b-header' }, plainText(b.text));
    case 'section':
      return section(b, host);
    case 'divider':
      return node('hr');
    case 'context':
      return node('div', { class: 'b-context' }, ...b.elements.map((e) => (e.type === 'image' ? image(e) : textNode(e, names, 'span'))));
    case 'actions':
      return node('div', { class: 'b-actions' }, ...b.elements.map((e) => element(b, e, host)));
    case 'image':
      return node('figure', { class: 'b-image' }, b.title ? node('figcaption', {}, plainText(b.title)) : null, image(b));
    case 'rich_text':
      return node('div', { class: 'b-text' }, ...richText(b.elements, names));
    case 'markdown':
      return node('div', { class: 'b-text b-markdown' }, ...markdown(b.text, names));
    case 'table':
    case 'data_table':
      return grid(b.rows.map((r) => r.map((c) => cell(c, names))), b.column_settings ?? guess(b.rows), b.caption);
    case 'data_visualization':
      return chart(b);
    case 'alert':
      return textNode(b.text, names, 'div', `b-alert ${b.level || 'default'}`);
    case 'input':
      return input(b, host);
    default:
      return node('div', { class: 'b-context' }, `[${b.type}]`);
  }
}

function section(b, host) {
  const body = node('div', { class: 'b-body' });
  if (b.text) body.append(textNode(b.text, host.names, 'div', 'b-text'));
  if (b.fields) body.append(node('div', { class: 'b-fields' }, ...b.fields.map((f) => textNode(f, host.names, 'div', 'b-text'))));
  const n = node('div', { class: 'b-section' }, body);
  if (b.accessory) n.append(node('div', { class: `b-accessory ${b.accessory.type}` }, element(b, b.accessory, host)));
  return n;
}

// image shows pictures of this server only: the page makes no request to anybody else, so others stay links.
function image(e) {
  const url = safe(e.image_url);
  if (url && new URL(url).origin === location.origin) return node('img', { src: url, alt: e.alt_text, loading: 'lazy' });
  return url ? anchor(url, `🖼 ${e.alt_text}`) : node('span', {}, e.alt_text);
}

function cell(c, names) {
  if (!c) return [];
  if (c.type === 'rich_text') return richText(c.elements, names);
  return [c.text ?? String(c.value)];
}

// guess sets columns of numbers to the right when nothing was said about them.
function guess(rows) {
  return (rows[0] ?? []).map((_, i) => ({ align: rows.slice(1).length && rows.slice(1).every((r) => r[i]?.type === 'raw_number') ? 'right' : 'left' }));
}

function element(b, e, host) {
  switch (e.type) {
    case 'button':
      return button(b, e, host);
    case 'overflow':
      return overflow(b, e, host);
    case 'image':
      return image(e);
    default: {
      const f = field(b, e, host, (value) => confirmed(e, host, () => host.act(b, e, value)));
      host.register?.(b, e, f);
      return f.node;
    }
  }
}

async function confirmed(e, host, go) {
  if (!e.confirm || (await host.confirm(e.confirm))) return go();
  return undefined;
}

function button(b, e, host) {
  const cls = `btn ${e.style || ''}`;
  const label = [plainText(e.text)];
  const href = e.url && safe(e.url);
  const n = href
    ? node('a', { class: cls, href, target: '_blank', rel: 'noopener noreferrer', 'aria-label': e.accessibility_label }, ...label)
    : node('button', { class: cls, type: 'button', 'aria-label': e.accessibility_label }, ...label);
  n.dataset.key = `${b.block_id}/${e.action_id}`;
  n.addEventListener('click', () => confirmed(e, host, () => busy(n, host.act(b, e, e.value ?? ''))));
  return n;
}

// busy shows that the app was asked and has not acknowledged yet.
async function busy(n, doing) {
  n.setAttribute('aria-busy', 'true');
  try {
    await doing;
  } finally {
    n.removeAttribute('aria-busy');
  }
}

let menus = 0;

function overflow(b, e, host) {
  const id = `menu-${++menus}`;
  const trigger = node('button', { class: 'btn more', type: 'button', 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'aria-controls': id, 'aria-label': host.words.more }, '⋯');
  trigger.dataset.key = `${b.block_id}/${e.action_id}`;
  const list = node('div', { class: 'menu-list', role: 'menu', id, hidden: true });
  const box = node('div', { class: 'overflow' }, trigger, list);
  const items = e.options.map((o) => {
    const href = o.url && safe(o.url);
    const n = node(href ? 'a' : 'button', { role: 'menuitem', tabindex: '-1', type: href ? null : 'button', href, target: href ? '_blank' : null, rel: href ? 'noopener noreferrer' : null }, node('span', {}, plainText(o.text)));
    if (o.description) n.append(node('small', {}, plainText(o.description)));
    n.addEventListener('click', () => {
      close(true);
      confirmed(e, host, () => busy(trigger, host.act(b, e, o.value)));
    });
    return n;
  });
  list.append(...items);
  const outside = (ev) => box.contains(ev.target) || close(false);
  function close(refocus) {
    list.hidden = true;
    trigger.setAttribute('aria-expanded', 'false');
    document.removeEventListener('pointerdown', outside, true);
    if (refocus) trigger.focus();
  }
  function show() {
    list.hidden = false;
    list.classList.toggle('up', trigger.getBoundingClientRect().bottom + list.offsetHeight + 12 > innerHeight);
    trigger.setAttribute('aria-expanded', 'true');
    document.addEventListener('pointerdown', outside, true);
    items[0]?.focus();
  }
  trigger.addEventListener('click', () => (list.hidden ? show() : close(true)));
  list.addEventListener('keydown', (ev) => {
    const i = items.indexOf(document.activeElement);
    const to = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: items.length - 1 }[ev.key];
    if (to !== undefined) items[(to + items.length) % items.length].focus();
    else if (ev.key === 'Escape') close(true);
    else if (ev.key === 'Tab') close(false);
    else return;
    if (ev.key !== 'Tab') ev.preventDefault();
    ev.stopPropagation();
  });
  return box;
}

// input is a labelled element of a form. Groups of boxes get a fieldset, everything else a label.
function input(b, host) {
  const e = b.element;
  const report = b.dispatch_action ? (value) => host.act(b, e, value) : null;
  const f = field(b, e, host, report);
  host.register?.(b, e, f);
  const label = [plainText(b.label)];
  if (b.optional) label.push(node('span', { class: 'optional' }, ` (${host.words.optional})`));
  const error = node('p', { class: 'error', id: `err-${b.block_id}`, hidden: true });
  const hint = b.hint ? node('p', { class: 'hint', id: `hint-${b.block_id}` }, plainText(b.hint)) : null;
  const grouped = e.type === 'radio_buttons' || e.type === 'checkboxes';
  const n = grouped
    ? node('fieldset', { class: 'b-input' }, node('legend', {}, ...label), f.node, hint, error)
    : node('div', { class: 'b-input' }, node('label', { for: f.id }, ...label), f.node, hint, error);
  n.dataset.block = b.block_id;
  f.control?.setAttribute('aria-describedby', `err-${b.block_id}${hint ? ` hint-${b.block_id}` : ''}`);
  return n;
}

