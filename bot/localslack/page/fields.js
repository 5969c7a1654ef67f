// Elements that hold a value. field gives {node, id, control, get, set}; report is called when a person changed it.

import { node, plainText, textNode } from './text.js';

let ids = 0;

export function field(b, e, host, report) {
  const f = make(b, e, host, report);
  f.node.dataset.key = `${b.block_id}/${e.action_id}`;
  const known = host.value?.(b, e);
  if (known !== undefined) f.set(known);
  return f;
}

function make(b, e, host, report) {
  switch (e.type) {
    case 'radio_buttons':
    case 'checkboxes':
      return choices(b, e, host, report);
    case 'static_select':
      return select(e, host, report, groups(e), e.initial_option?.value ?? '');
    case 'users_select':
      return select(e, host, report, [['', host.names.people().map((p) => [p.id, p.real || p.name])]], e.initial_user ?? '');
    case 'conversations_select':
    case 'channels_select':
      return select(e, host, report, [['', host.names.channels().map((c) => [c.id, '#' + c.name])]], e.initial_conversation ?? e.initial_channel ?? '');
    case 'multi_static_select':
      return choices(b, { ...e, type: 'checkboxes', options: groups(e, true) }, host, report);
    case 'multi_users_select':
      return choices(b, { ...e, type: 'checkboxes', options: host.names.people().map((p) => ({ value: p.id, text: { type: 'plain_text', text: p.real || p.name } })) }, host, report);
    case 'datetimepicker':
      return moment(e, report);
    default:
      return line(e, report);
  }
}

function line(e, report) {
  const id = `f${++ids}`;
  const kinds = { datepicker: 'date', timepicker: 'time', number_input: 'number', email_text_input: 'email', url_text_input: 'url' };
  const hint = e.placeholder ? plainText(e.placeholder) : '';
  const n = e.multiline
    ? node('textarea', { id, rows: '3', class: 'control', placeholder: hint, maxlength: e.max_length ? String(e.max_length) : null })
    : node('input', { id, type: kinds[e.type] ?? 'text', class: 'control', placeholder: hint, maxlength: e.max_length ? String(e.max_length) : null, step: e.type === 'number_input' && e.is_decimal_allowed ? 'any' : null, min: e.min_value, max: e.max_value });
  n.value = e.initial_value ?? e.initial_date ?? e.initial_time ?? '';
  if (e.focus_on_load) n.autofocus = true;
  if (report) n.addEventListener('change', () => report(n.value));
  return { node: n, id, control: n, get: () => n.value || null, set: (v) => (n.value = v ?? '') };
}

function moment(e, report) {
  const id = `f${++ids}`;
  const n = node('input', { id, type: 'datetime-local', class: 'control' });
  const set = (v) => {
    const d = new Date(Number(v) * 1000);
    n.value = v ? new Date(d.getTime() - d.getTimezoneOffset() * 60000).toISOString().slice(0, 16) : '';
  };
  const get = () => (n.value ? Math.floor(new Date(n.value).getTime() / 1000) : null);
  set(e.initial_date_time);
  if (report) n.addEventListener('change', () => report(get()));
  return { node: n, id, control: n, get, set };
}

function groups(e, flat) {
  if (flat) return e.option_groups ? e.option_groups.flatMap((g) => g.options) : e.options;
  const pairs = (options) => options.map((o) => [o.value, plainText(o.text)]);
  return e.option_groups ? e.option_groups.map((g) => [plainText(g.label), pairs(g.options)]) : [['', pairs(e.options)]];
}

function select(e, host, report, list, initial) {
  const id = `f${++ids}`;
  const n = node('select', { id, class: 'control' });
  n.append(node('option', { value: '' }, e.placeholder ? plainText(e.placeholder) : host.words.choose));
  for (const [label, options] of list) {
    const to = label ? node('optgroup', { label }) : n;
    for (const [value, text] of options) to.append(node('option', { value }, text));
    if (label) n.append(to);
  }
  n.value = initial;
  if (report) n.addEventListener('change', () => n.value && report(n.value));
  return { node: n, id, control: n, get: () => n.value || null, set: (v) => (n.value = v ?? '') };
}

function choices(b, e, host, report) {
  const id = `f${++ids}`;
  const many = e.type === 'checkboxes';
  const initial = many ? (e.initial_options ?? []).map((o) => o.value) : [e.initial_option?.value];
  const boxes = [];
  const n = node('div', { class: 'choices', id, role: many ? 'group' : 'radiogroup' });
  for (const o of e.options) {
    const box = node('input', { type: many ? 'checkbox' : 'radio', name: id, value: o.value, id: `${id}-${boxes.length}` });
    box.checked = initial.includes(o.value);
    const label = node('label', { for: box.id }, textNode(o.text, host.names, 'span'));
    if (o.description) label.append(textNode(o.description, host.names, 'small'));
    boxes.push(box);
    n.append(node('div', { class: 'choice' }, box, label));
    if (report) box.addEventListener('change', () => report(get()));
  }
  const get = () => {
    const on = boxes.filter((x) => x.checked).map((x) => x.value);
    return many ? on : (on[0] ?? null);
  };
  const set = (v) => boxes.forEach((x) => (x.checked = many ? (v ?? []).includes(x.value) : x.value === v));
  return { node: n, id, control: boxes[0], get, set };
}
