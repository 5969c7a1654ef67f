// Modals: the visible view of the acting person, and the little question before a dangerous button.

import { render } from './blocks.js';
import { node, plainText, textNode } from './text.js';

const dialog = document.getElementById('modal');
let shown = null; // {view, fields, host}

// show puts the top view on screen, or takes the dialog away. What a person has typed survives an update by the app.
export function show(view, host) {
  if (!view) {
    if (dialog.open) dialog.close();
    shown = null;
    dialog.replaceChildren();
    return;
  }
  if (shown && shown.view.id === view.id && shown.view.hash === view.hash && shown.words === host.words) return;
  const kept = shown?.view.id === view.id ? shown : null;
  const values = kept ? collect(kept.fields, true) : {};
  const focus = kept && dialog.contains(document.activeElement) ? keyOf(document.activeElement) : null;
  const scroll = dialog.querySelector('.modal-body')?.scrollTop ?? 0;
  build(view, host, values);
  if (!dialog.open) dialog.showModal();
  dialog.querySelector('.modal-body').scrollTop = kept ? scroll : 0;
  if (focus) dialog.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
  else if (!kept) firstField()?.focus({ preventScroll: true });
}

const keyOf = (n) => n.closest('[data-key]')?.dataset.key;
const firstField = () => dialog.querySelector('.modal-body input:checked, .modal-body .control, .modal-body input') ?? dialog.querySelector('.modal-body');

function build(view, host, values) {
  const w = host.words;
  const fields = new Map();
  const filled = view.state?.values ?? {};
  const own = {
    ...host,
    value: (b, e) => values[b.block_id]?.[e.action_id] ?? fromState(filled[b.block_id]?.[e.action_id]),
    register: (b, e, f) => fields.set(`${b.block_id}\n${e.action_id}`, { b, e, f }),
    act: (b, e, value) => host.viewAction(view, b, e, value, collect(fields)),
  };
  shown = { view, fields, host, words: w };
  const x = node('button', { class: 'icon', type: 'button', 'aria-label': w.close }, '✕');
  x.addEventListener('click', () => host.close(view));
  const body = node('div', { class: 'modal-body', tabindex: '-1' }, node('p', { class: 'trouble', role: 'alert', hidden: true }), ...render(view.blocks ?? [], own));
  const foot = node('footer', {});
  const cancel = node('button', { class: 'btn', type: 'button' }, view.close ? plainText(view.close) : w.cancel);
  cancel.addEventListener('click', () => host.close(view));
  foot.append(cancel);
  if (view.submit) foot.append(node('button', { class: 'btn primary', type: 'submit', id: 'modal-submit' }, plainText(view.submit)));
  const form = node('form', { novalidate: true }, node('header', {}, node('h2', { id: 'modal-title' }, plainText(view.title)), x), body, foot);
  form.addEventListener('submit', (ev) => {
    ev.preventDefault();
    submit(view, fields, host);
  });
  dialog.replaceChildren(form);
}

// fromState reads what the workspace holds of an element, so that a reload loses nothing.
function fromState(s) {
  if (!s) return undefined;
  if (s.selected_options) return s.selected_options.map((o) => o.value);
  if ('selected_option' in s) return s.selected_option?.value ?? null;
  for (const k of ['value', 'selected_date', 'selected_time', 'selected_date_time', 'selected_user', 'selected_users']) if (k in s) return s[k];
  return undefined;
}

function collect(fields, forKeeping) {
  const out = {};
  for (const { b, e, f } of fields.values()) {
    const v = f.get();
    if (forKeeping && v === null) continue;
    (out[b.block_id] ??= {})[e.action_id] = v;
  }
  return out;
}

async function submit(view, fields, host) {
  const button = dialog.querySelector('#modal-submit');
  if (!button || button.getAttribute('aria-busy')) return;
  clearErrors();
  button.setAttribute('aria-busy', 'true');
  const r = await host.submit(view, collect(fields));
  button.removeAttribute('aria-busy');
  if (!r.ok) return trouble(r.kind ? host.words[r.kind] : host.words.modalTrouble);
  const errors = Object.entries(r.reply?.errors ?? {});
  errors.forEach(([id, why]) => mark(id, why === 'required' ? host.words.required : why));
  const bad = dialog.querySelector('[aria-invalid="true"]');
  bad?.scrollIntoView({ block: 'center', behavior: 'smooth' });
  bad?.focus({ preventScroll: true });
}

function mark(block, why) {
  const n = dialog.querySelector(`[data-block="${CSS.escape(block)}"]`);
  if (!n) return trouble(why);
  n.classList.add('bad');
  n.querySelector('input, textarea, select')?.setAttribute('aria-invalid', 'true');
  const p = n.querySelector('.error');
  p.textContent = why;
  p.hidden = false;
}

function trouble(why) {
  const p = dialog.querySelector('.trouble');
  p.textContent = why;
  p.hidden = false;
  p.scrollIntoView({ block: 'nearest' });
}

function clearErrors() {
  dialog.querySelectorAll('.bad').forEach((n) => n.classList.remove('bad'));
  dialog.querySelectorAll('[aria-invalid]').forEach((n) => n.removeAttribute('aria-invalid'));
  dialog.querySelectorAll('.error, .trouble').forEach((n) => (n.hidden = true));
}

dialog.addEventListener('cancel', (ev) => {
  ev.preventDefault(); // Escape: the app is told, and the state takes the dialog away
  if (shown) shown.host.close(shown.view);
});

const question = document.getElementById('confirm');

// ask shows a confirmation object and resolves to whether the person agreed.
export function ask(c, names) {
  return new Promise((done) => {
    const yes = node('button', { class: `btn ${c.style || 'primary'}`, type: 'button' }, plainText(c.confirm));
    const no = node('button', { class: 'btn', type: 'button' }, plainText(c.deny));
    const end = (v) => {
      question.close();
      done(v);
    };
    yes.addEventListener('click', () => end(true));
    no.addEventListener('click', () => end(false));
    question.oncancel = () => done(false);
    question.replaceChildren(
      node('header', {}, node('h2', { id: 'confirm-title' }, plainText(c.title))),
      node('div', { class: 'modal-body' }, textNode(c.text, names, 'div', 'b-text')),
      node('footer', {}, no, yes),
    );
    question.querySelector('.b-text').id = 'confirm-text';
    question.showModal();
    no.focus();
  });
}

