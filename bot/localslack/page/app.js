// The page: state comes whole from the server after every change, and only what differs is drawn again.

import { render } from './blocks.js';
import { composer } from './composer.js';
import * as modal from './modal.js';
import { emojiOf, mrkdwn, node } from './text.js';
import { words } from './words.js';

const $ = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const remembered = (k) => {
  try {
    return localStorage.getItem('gpuspend ' + k);
  } catch {
    return null;
  }
};
const remember = (k, v) => {
  try {
    localStorage.setItem('gpuspend ' + k, v);
  } catch {
    /* nothing is lost but comfort */
  }
};

let me = query.get('as') || remembered('me') || '';
let state = null;
let t = words('en');
let room = null; // the channel on screen
let thread = null; // timestamp of the message whose thread is open
let tab = 'messages';
const seen = JSON.parse(remembered('seen') || '{}'); // per person and channel: the last timestamp read
const drawn = { main: new Map(), thread: new Map() };

// --- talking to the server ---------------------------------------------------------------------------------------

async function post(what, body) {
  try {
    const r = await fetch(`local/${what}`, { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Local': '1' }, body: JSON.stringify({ user: me, ...body }) });
    return await r.json();
  } catch (err) {
    return { ok: false, error: String(err) };
  }
}

let loading = false;
let again = false;

// load fetches the state; calls during a fetch become one more fetch after it.
async function load() {
  if (loading) {
    again = true;
    return;
  }
  loading = true;
  try {
    do {
      again = false;
      const r = await fetch(`local/state?user=${encodeURIComponent(me)}`);
      state = await r.json();
      draw();
    } while (again);
  } catch {
    again = false; // the event stream reports a lost server and loads again when it is back
  } finally {
    loading = false;
  }
}

function listen() {
  const es = new EventSource('local/events');
  es.addEventListener('change', load);
  es.addEventListener('banner', (ev) => banner(JSON.parse(ev.data)));
  es.addEventListener('open', () => document.body.classList.remove('lost'));
  es.addEventListener('error', () => {
    document.body.classList.add('lost');
    $('link-state').textContent = t.lost;
  });
}

// --- names and times ---------------------------------------------------------------------------------------------

const person = (id) => state?.people.find((p) => p.id === id);
const channel = (id) => state?.channels.find((c) => c.id === id);
const nameOf = (p) => (p ? p.real || p.name : '');
const zone = () => person(me)?.tz || undefined;
const locale = () => person(me)?.locale || 'en';

function format(d, options) {
  try {
    return new Intl.DateTimeFormat(locale(), { timeZone: zone(), ...options }).format(d);
  } catch {
    return new Intl.DateTimeFormat('en', options).format(d);
  }
}

const clock = (d) => format(d, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayKey = (d) => format(d, { year: 'numeric', month: '2-digit', day: '2-digit' });
const when = (ts) => new Date(Number(ts) * 1000);

function dayName(d) {
  const now = new Date(state.now);
  if (dayKey(d) === dayKey(now)) return t.today;
  if (dayKey(d) === dayKey(new Date(now - 86400000))) return t.yesterday;
  return format(d, { weekday: 'long', day: 'numeric', month: 'long' });
}

const names = {
  person: (id) => nameOf(person(id)) || (id === state.bot ? 'gpuspend' : ''),
  channel: (id) => channel(id)?.name ?? '',
  people: () => state.people.filter((p) => !p.bot),
  channels: () => state.channels.filter((c) => !c.dm),
  time: clock,
  day: (d) => format(d, { weekday: 'short', day: 'numeric', month: 'short' }),
};

// --- drawing -----------------------------------------------------------------------------------------------------

function draw() {
  me = state.me;
  t = words(locale());
  document.documentElement.lang = locale();
  if (!room || !channel(room)) room = fromHash() || state.channels.find((c) => !c.dm)?.id || state.channels[0]?.id;
  banner(state.banner);
  drawSidebar();
  drawRoom();
  drawThread();
  modal.show(state.views.at(-1), modalHost());
}

function banner(b) {
  $('banner').hidden = !b;
  if (!b) return;
  $('banner-text').textContent = b.text;
  $('banner-speed').textContent = b.speed;
  $('banner-speed').hidden = !b.speed;
}

function drawSidebar() {
  $('workspace-title').textContent = state.title;
  $('link-state').textContent = state.connected ? t.on : t.off;
  $('link-state').classList.toggle('off', !state.connected);
  const rooms = (label, list) =>
    node('section', {}, node('h2', {}, label), node('ul', {}, ...list.map((c) => node('li', {}, roomButton(c)))));
  const focused = document.activeElement?.dataset?.room;
  $('rooms').replaceChildren(rooms(t.channels, state.channels.filter((c) => !c.dm)), rooms(t.dms, state.channels.filter((c) => c.dm)));
  if (focused) $('rooms').querySelector(`[data-room="${CSS.escape(focused)}"]`)?.focus();
  $('menu-dot').hidden = !state.channels.some((c) => c.id !== room && unread(c) > 0);
  drawActor();
  label('menu', t.menu);
  label('thread-close', t.close);
  label('sidebar', t.menu);
  $('skip').textContent = t.skip;
}

const label = (id, words) => $(id).setAttribute('aria-label', words);

function roomButton(c) {
  const n = unread(c);
  const b = node('button', { type: 'button', class: n ? 'unread' : '', 'aria-current': c.id === room ? 'page' : null });
  b.dataset.room = c.id;
  b.append(
    c.dm ? node('img', { src: 'bot.svg', alt: '', class: 'tiny' }) : node('span', { class: 'hash', 'aria-hidden': 'true' }, '#'),
    node('span', { class: 'label' }, c.dm ? names.person(state.bot) : c.name),
  );
  if (n) b.append(node('span', { class: 'badge', 'aria-label': t.unread(n) }, n > 99 ? '99+' : String(n)));
  b.addEventListener('click', () => go(c.id));
  return b;
}

function unread(c) {
  if (c.id === room && !document.hidden) return 0; // on screen is read
  const last = seen[me]?.[c.id] ?? '';
  return c.messages.filter((m) => m.ts > last && m.user !== me && (!m.thread_ts || m.thread_ts === m.ts)).length;
}

function markRead(c) {
  const last = c.messages.at(-1)?.ts;
  if (!last || document.hidden || seen[me]?.[c.id] === last) return;
  (seen[me] ??= {})[c.id] = last;
  remember('seen', JSON.stringify(seen));
}

function drawActor() {
  const select = $('actor-select');
  const options = names.people().map((p) => {
    const mark = p.stranger ? ` · ${t.stranger}` : p.guest ? ` · ${t.guest}` : '';
    return node('option', { value: p.id, selected: p.id === me }, nameOf(p) + mark);
  });
  $('actor-label').textContent = t.actAs;
  if (document.activeElement !== select || select.options.length !== options.length) select.replaceChildren(...options);
  select.value = me;
  paint($('actor-avatar'), person(me));
}

// initials leave out what stands in brackets.
const initials = (full) => {
  const name = full.replace(/[(（].*$/, '').trim() || full;
  const parts = name.split(/\s+/).filter(Boolean);
  return /^[\x00-\x7f]/.test(name) ? parts.slice(0, 2).map((w) => w[0].toUpperCase()).join('') : name.slice(-2);
};

function paint(n, p) {
  const name = nameOf(p) || '?';
  let h = 0;
  for (const c of p?.id ?? '') h = (h * 31 + c.codePointAt(0)) % 6;
  n.className = `avatar ${n.classList.contains('small') ? 'small' : ''} hue${h}`;
  n.textContent = initials(name);
}

function drawRoom() {
  const c = channel(room);
  if (!c) return;
  const dm = c.dm;
  const title = dm ? names.person(state.bot) : '# ' + c.name;
  $('room-title').textContent = title;
  $('room-topic').textContent = c.topic;
  const n = c.messages.filter((m) => unreadIn(c, m)).length;
  document.title = (n && document.hidden ? `(${n}) ` : '') + `${dm ? title : '#' + c.name} · ${state.title} · gpuspend`;
  $('composer-input').placeholder = t.message(dm ? title : '#' + c.name);
  label('composer-input', t.message(dm ? title : '#' + c.name));
  label('send', t.send);
  label('log', t.messages);
  $('composer-help').textContent = c.archived ? t.archived : matchMedia('(max-width: 760px)').matches ? t.helpShort : t.help;
  $('composer-input').disabled = $('send').disabled = c.archived;
  drawTabs(dm);
  if (tab === 'home' && state.home) return drawHome();
  const roots = c.messages.filter((m) => !m.thread_ts || m.thread_ts === m.ts);
  drawLog($('log'), drawn.main, c, roots, state.notices.filter((x) => x.channel === c.id), true);
  markRead(c);
}

const unreadIn = (c, m) => m.ts > (seen[me]?.[c.id] ?? '') && m.user !== me;

function drawTabs(dm) {
  const on = dm && state.home;
  $('tabs').hidden = !on;
  if (!on) tab = 'messages';
  if (!on) return;
  $('tabs').replaceChildren(
    ...['messages', 'home'].map((k) => {
      const b = node('button', { type: 'button', role: 'tab', 'aria-selected': String(tab === k) }, t[k]);
      b.addEventListener('click', () => {
        tab = k;
        drawn.main.clear();
        $('log').replaceChildren();
        draw();
      });
      return b;
    }),
  );
}

function drawHome() {
  const v = state.home;
  if ($('log').dataset.hash === v.hash) return;
  $('log').dataset.hash = v.hash;
  const host = { words: t, names, confirm: (c) => modal.ask(c, names), act: (b, e, value) => viewAction(v, b, e, value) };
  $('log').replaceChildren(node('div', { class: 'home blocks' }, ...render(v.blocks ?? [], host)));
}

// drawLog brings the nodes of a log in line with its messages, keeping every node whose message did not change.
function drawLog(log, cache, c, messages, notices, dividers) {
  delete log.dataset.hash;
  const key = `${c.id} ${me} ${t.app} ${log === $('thread-log') ? thread : ''}`;
  const fresh = log.dataset.key !== key;
  if (fresh) cache.clear();
  log.dataset.key = key;
  const stick = fresh || log.scrollHeight - log.scrollTop - log.clientHeight < 120;
  const items = [...messages, ...notices.map((n) => ({ ...n, notice: true }))].sort((a, b) => (a.ts < b.ts ? -1 : 1));
  const nodes = [];
  let day = '';
  for (const m of items) {
    const d = dayKey(when(m.ts));
    if (dividers && d !== day) nodes.push(divider(cache, d, when(m.ts)));
    day = d;
    nodes.push(cached(cache, m, c, log));
  }
  if (!items.length) nodes.push(empty());
  const live = new Set(nodes);
  for (const [k, v] of cache) if (!live.has(v.node)) cache.delete(k);
  const focus = log.contains(document.activeElement) ? document.activeElement : null;
  const place = focus?.closest('article')?.id;
  [...log.children].forEach((n) => live.has(n) || n.remove());
  nodes.forEach((n, i) => log.children[i] !== n && log.insertBefore(n, log.children[i] ?? null));
  if (stick) log.scrollTop = log.scrollHeight;
  if (place && !focus.isConnected) refocus(place, focus.dataset.key);
}

// refocus puts the focus on the same button of a message that was drawn again; a new edit may have named its block anew.
function refocus(place, key) {
  const n = document.getElementById(place);
  const action = key?.slice(key.indexOf('/'));
  (action && n?.querySelector(`[data-key$="${CSS.escape(action)}"]`))?.focus({ preventScroll: true });
}

function divider(cache, key, d) {
  const text = dayName(d);
  const old = cache.get('day ' + key);
  if (old?.json === text) return old.node;
  const n = node('div', { class: 'day', role: 'separator' }, node('span', {}, text));
  cache.set('day ' + key, { json: text, node: n });
  return n;
}

function cached(cache, m, c, log) {
  const inThread = log === $('thread-log');
  const replies = inThread ? [] : c.messages.filter((r) => r.thread_ts === m.ts && r.ts !== m.ts);
  const json = JSON.stringify([m, replies.map((r) => r.ts), inThread ? 0 : thread === m.ts]);
  const old = cache.get(m.ts);
  if (old?.json === json) return old.node;
  if (old?.node.querySelector('.menu-list:not([hidden])')) return old.node; // somebody is choosing: the next change draws it
  const n = m.notice ? noticeNode(m) : messageNode(m, c, replies, inThread);
  if (old && JSON.stringify([m.text, m.blocks]) !== old.content) n.classList.add('flash');
  cache.set(m.ts, { json, node: n, content: JSON.stringify([m.text, m.blocks]) });
  return n;
}

function empty() {
  const say = state.hints[0] ?? '/gpu help';
  const b = node('button', { type: 'button', class: 'try' }, say);
  b.addEventListener('click', () => box.take(say));
  return node('div', { class: 'empty' }, node('img', { src: 'bot.svg', alt: '' }), node('p', {}, t.empty), b);
}

function noticeNode(n) {
  return node('article', { class: 'message notice' }, node('span', { class: 'avatar notice-mark', 'aria-hidden': 'true' }, '!'),
    node('div', { class: 'content' }, node('div', { class: 'only' }, eye(), t.only), node('p', {}, t[n.kind]), n.about ? node('code', {}, n.about) : null));
}

function eye() {
  const s = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  s.setAttribute('viewBox', '0 0 20 20');
  s.setAttribute('aria-hidden', 'true');
  const p = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  p.setAttribute('d', 'M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zm8-2.300a2.300 2.300 0 1 0 0 4.600 2.300 2.300 0 0 0 0-4.600z');
  s.append(p);
  return s;
}

function messageNode(m, c, replies, inThread) {
  const bot = m.user === state.bot;
  const author = bot ? names.person(state.bot) || 'gpuspend' : nameOf(person(m.user)) || m.user;
  const avatar = bot ? node('img', { class: 'avatar', src: 'bot.svg', alt: '' }) : node('span', { class: 'avatar', 'aria-hidden': 'true' });
  if (!bot) paint(avatar, person(m.user));
  const p = person(m.user);
  const d = when(m.ts);
  const head = node('header', {}, node('b', {}, author), bot ? node('span', { class: 'tag' }, t.app) : null,
    p?.guest || p?.stranger ? node('span', { class: 'tag soft' }, p.stranger ? t.stranger : t.guest) : null,
    node('time', { datetime: d.toISOString(), title: format(d, { dateStyle: 'full', timeStyle: 'medium' }) }, clock(d)));
  const body = node('div', { class: 'content' });
  if (m.ephemeral) body.append(node('div', { class: 'only' }, eye(), t.only));
  body.append(head, blocksOf(m, c));
  if (m.edited) body.append(node('span', { class: 'edited' }, `(${t.edited})`));
  if (m.reactions) body.append(node('div', { class: 'reactions' }, ...m.reactions.map((r) => node('span', { 'aria-label': r }, emojiOf(r), node('b', {}, '1')))));
  if (replies.length) body.append(repliesButton(m, replies));
  const n = node('article', { class: `message ${m.ephemeral ? 'ephemeral' : ''} ${!inThread && thread === m.ts ? 'open' : ''}`, 'aria-label': `${author}, ${clock(d)}` }, avatar, body);
  n.id = (inThread ? 't' : 'm') + m.ts;
  if (!inThread && !m.ephemeral) {
    const b = node('button', { type: 'button', class: 'icon tool', 'aria-label': t.reply, title: t.reply }, '💬');
    b.addEventListener('click', () => openThread(m.ts));
    n.append(b);
  }
  return n;
}

function repliesButton(m, replies) {
  const b = node('button', { type: 'button', class: 'replies' }, node('span', {}, t.replies(replies.length)), node('time', {}, clock(when(replies.at(-1).ts))));
  b.addEventListener('click', () => openThread(m.ts));
  return b;
}

function blocksOf(m, c) {
  const n = node('div', { class: 'blocks' });
  if (!m.blocks?.length) {
    n.append(node('div', { class: 'b-text' }, ...mrkdwn(m.text, names)));
    return n;
  }
  const host = {
    words: t,
    names,
    confirm: (q) => modal.ask(q, names),
    act: async (b, e, value) => {
      const r = await post('click', { channel: c.id, ts: m.ts, block: b.block_id, action: e.action_id, value: String(value ?? '') });
      if (!r.ok && !r.kind) toast(r.error); // what has a kind is told in the room
    },
  };
  n.append(...render(m.blocks, host));
  return n;
}

function drawThread() {
  const c = channel(room);
  const root = c?.messages.find((m) => m.ts === thread);
  $('thread').hidden = !root;
  document.body.classList.toggle('threaded', Boolean(root));
  if (!root) return;
  $('thread-title').textContent = t.thread;
  $('thread-room').textContent = c.dm ? names.person(state.bot) : '# ' + c.name;
  $('thread-input').placeholder = t.replyTo;
  label('thread-input', t.replyTo);
  label('thread-log', t.thread);
  label('thread', t.thread);
  $('thread-composer').querySelector('.send').setAttribute('aria-label', t.send);
  drawLog($('thread-log'), drawn.thread, c, c.messages.filter((m) => m.ts === thread || m.thread_ts === thread), [], false);
}

function toast(text) {
  const n = node('div', { class: 'toast' }, text);
  $('toasts').append(n);
  setTimeout(() => n.remove(), 6000);
}

// --- what a person does ------------------------------------------------------------------------------------------

const viewAction = async (v, b, e, value, values) => {
  const r = await post('viewaction', { view: v.id, block: b.block_id, action: e.action_id, value, values });
  if (!r.ok) toast(r.kind ? t[r.kind] : r.error);
};

const modalHost = () => ({
  words: t,
  names,
  confirm: (c) => modal.ask(c, names),
  viewAction,
  submit: (v, values) => post('submit', { view: v.id, values }),
  close: (v) => post('close', { view: v.id }),
});

function go(id) {
  room = id;
  thread = null;
  tab = 'messages';
  history.replaceState(null, '', '#' + id);
  sidebar(false);
  draw();
  if (!matchMedia('(pointer: coarse)').matches) $('composer-input').focus();
}

function openThread(ts) {
  thread = ts;
  history.replaceState(null, '', `#${room}/${ts}`);
  draw();
  $('thread-input').focus();
}

function closeThread() {
  const from = thread;
  thread = null;
  history.replaceState(null, '', '#' + room);
  draw();
  document.getElementById('m' + from)?.querySelector('.replies, .tool')?.focus();
}

function fromHash() {
  const [id, ts] = location.hash.slice(1).split('/');
  if (!channel(id)) return null;
  thread = ts || null;
  return id;
}

function sidebar(open) {
  document.body.classList.toggle('side', open);
  $('shade').hidden = !open;
  $('menu').setAttribute('aria-expanded', String(open));
  narrow();
  if (open) $('rooms').querySelector('[aria-current]')?.focus();
}

// narrow takes the hidden sidebar out of the tab order on phones.
function narrow() {
  const phone = matchMedia('(max-width: 760px)').matches;
  $('sidebar').inert = phone && !document.body.classList.contains('side');
}

function send(text, ts) {
  if (text.startsWith('/')) return post('command', { channel: room, text });
  return post('say', { channel: room, text, ts });
}

const box = composer({ form: $('composer'), input: $('composer-input'), list: $('hints'), hints: () => state?.hints ?? [], send: (text) => send(text) });
composer({ form: $('thread-composer'), input: $('thread-input'), hints: () => [], send: (text) => send(text, thread) });

$('actor-select').addEventListener('change', (ev) => {
  me = ev.target.value;
  remember('me', me);
  thread = null;
  load();
});
$('menu').addEventListener('click', () => sidebar(!document.body.classList.contains('side')));
$('shade').addEventListener('click', () => sidebar(false));
$('thread-close').addEventListener('click', closeThread);
$('skip').addEventListener('click', (ev) => {
  ev.preventDefault();
  $('composer-input').focus();
});
document.addEventListener('keydown', (ev) => {
  if (ev.key !== 'Escape' || document.querySelector('dialog[open]')) return;
  if (document.body.classList.contains('side')) {
    sidebar(false);
    $('menu').focus();
  } else if (thread) closeThread();
});
document.addEventListener('visibilitychange', () => state && draw());
addEventListener('hashchange', () => {
  const id = state && fromHash();
  if (!id) return;
  room = id;
  draw();
});
addEventListener('resize', narrow);
narrow();
load().then(listen);
