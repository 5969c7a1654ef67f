// The box where commands are typed: suggestions, history, Enter sends.

import { node } from './text.js';

const store = {
  get: (k) => {
    try {
      return JSON.parse(localStorage.getItem('gpuspend ' + k)) ?? [];
    } catch {
      return [];
    }
  },
  set: (k, v) => {
    try {
      localStorage.setItem('gpuspend ' + k, JSON.stringify(v));
    } catch {
      /* private windows may refuse; the history is then short */
    }
  },
};

// composer wires a form. hints may be empty; send(text) is called with what was typed.
export function composer({ form, input, list, hints, send }) {
  let options = [];
  let at = -1;
  let typed = '';
  let back = -1;
  let shift = false;

  const grow = () => {
    input.style.height = 'auto';
    input.style.height = Math.min(input.scrollHeight, 160) + 'px';
  };
  const hide = () => {
    if (!list) return;
    list.hidden = true;
    at = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const mark = (i) => {
    at = i;
    [...list.children].forEach((n, k) => n.setAttribute('aria-selected', String(k === i)));
    if (i < 0) return input.removeAttribute('aria-activedescendant');
    input.setAttribute('aria-activedescendant', list.children[i].id);
    list.children[i].scrollIntoView({ block: 'nearest' });
  };
  const suggest = () => {
    if (!list) return;
    const q = input.value;
    const known = [...new Set([...store.get('history').slice().reverse(), ...hints()])];
    options = q.startsWith('/') && !q.includes('\n') ? known.filter((h) => h.startsWith(q) && h !== q).slice(0, 8) : [];
    if (!options.length) return hide();
    list.replaceChildren(...options.map((o, i) => option(o, q, i)));
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    mark(-1);
  };
  function option(o, q, i) {
    const n = node('li', { role: 'option', id: `hint-${i}`, 'aria-selected': 'false' }, node('b', {}, o.slice(0, q.length)), o.slice(q.length));
    n.addEventListener('pointerdown', (ev) => {
      ev.preventDefault();
      take(o);
    });
    return n;
  }
  const take = (o) => {
    input.value = o;
    grow();
    suggest();
    input.focus();
  };
  const go = () => {
    const text = input.value.trim();
    if (!text) return;
    if (text.startsWith('/')) store.set('history', [...store.get('history').filter((h) => h !== text), text].slice(-30));
    input.value = '';
    back = -1;
    grow();
    hide();
    send(text);
  };
  const recall = (step) => {
    const past = store.get('history').slice().reverse();
    if (back < 0) typed = input.value;
    back = Math.max(-1, Math.min(past.length - 1, back + step));
    input.value = back < 0 ? typed : past[back];
    grow();
    hide();
  };

  input.addEventListener('input', () => {
    back = -1;
    grow();
    suggest();
  });
  input.addEventListener('focus', suggest);
  input.addEventListener('blur', hide);
  input.addEventListener('keydown', (ev) => {
    shift = ev.shiftKey;
    if (ev.isComposing) return; // Enter belongs to the input method while it composes Chinese
    const open = list && !list.hidden;
    if (ev.key === 'Enter' && !ev.shiftKey) {
      ev.preventDefault();
      if (open && at >= 0) take(options[at]);
      else go();
    } else if (open && (ev.key === 'ArrowDown' || ev.key === 'ArrowUp')) {
      ev.preventDefault();
      mark((at + (ev.key === 'ArrowDown' ? 1 : -1) + options.length + (at < 0 && ev.key === 'ArrowUp' ? 1 : 0)) % options.length);
    } else if (open && ev.key === 'Tab' && !ev.shiftKey) {
      ev.preventDefault();
      take(options[Math.max(0, at)]);
    } else if (open && ev.key === 'Escape') {
      ev.stopPropagation();
      hide();
    } else if (list && ev.key === 'ArrowUp' && (input.value === '' || back >= 0)) {
      ev.preventDefault();
      recall(1);
    } else if (list && ev.key === 'ArrowDown' && back >= 0) {
      ev.preventDefault();
      recall(-1);
    }
  });
  // Phone keyboards report no Enter key, only the line break it would make; Shift+Enter makes one on purpose.
  input.addEventListener('beforeinput', (ev) => {
    if (shift || !['insertLineBreak', 'insertParagraph'].includes(ev.inputType)) return;
    ev.preventDefault();
    go();
  });
  form.addEventListener('submit', (ev) => {
    ev.preventDefault();
    go();
    input.focus();
  });
  return { take };
}
