// Slack's text formats, made into DOM nodes. Nothing here ever sets HTML: whatever a message holds becomes text nodes.

const emoji = {
  red_circle: '🔴', large_orange_circle: '🟠', orange_circle: '🟠', large_yellow_circle: '🟡', yellow_circle: '🟡', large_green_circle: '🟢',
  green_circle: '🟢', large_blue_circle: '🔵', white_check_mark: '✅', heavy_check_mark: '✔️', x: '❌', warning: '⚠️', broom: '🧹', sunny: '☀️',
  abacus: '🧮', receipt: '🧾', hourglass_flowing_sand: '⏳', hourglass: '⌛', raised_hand: '✋', hand: '✋', bell: '🔔', no_bell: '🔕', moneybag: '💰',
  money_with_wings: '💸', chart_with_upwards_trend: '📈', chart_with_downwards_trend: '📉', bar_chart: '📊', rocket: '🚀', eyes: '👀', fire: '🔥',
  zap: '⚡', information_source: 'ℹ️', lock: '🔒', unlock: '🔓', key: '🔑', gear: '⚙️', wrench: '🔧', pushpin: '📌', calendar: '📅', clock3: '🕒',
  tada: '🎉', thumbsup: '👍', '+1': '👍', thumbsdown: '👎', '-1': '👎', wave: '👋', pray: '🙏', bulb: '💡', memo: '📝', link: '🔗', package: '📦',
  floppy_disk: '💾', computer: '💻', desktop_computer: '🖥️', cloud: '☁️', snowflake: '❄️', zzz: '💤', skull: '💀', rotating_light: '🚨', question: '❓',
  exclamation: '❗', arrow_right: '➡️', arrow_up: '⬆️', arrow_down: '⬇️', sos: '🆘', smile: '😄', slightly_smiling_face: '🙂', thinking_face: '🤔',
};

export function node(tag, attrs = {}, ...children) {
  const n = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs)) {
    if (v === undefined || v === null || v === false) continue;
    if (k === 'class') n.className = v;
    else if (k in n && typeof v !== 'string') n[k] = v;
    else n.setAttribute(k, v === true ? '' : v);
  }
  n.append(...children.filter((c) => c !== null && c !== undefined));
  return n;
}

const unescape = (s) => s.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
const emojify = (s) => s.replace(/:([a-z0-9_+-]+):/g, (all, name) => emoji[name] ?? all);

export const emojiOf = (name) => emoji[name] ?? `:${name}:`;

// safe lets only addresses through that open a page or a mail.
export function safe(url) {
  try {
    const u = new URL(url);
    return ['http:', 'https:', 'mailto:'].includes(u.protocol) ? u.href : null;
  } catch {
    return null;
  }
}

export function anchor(url, label) {
  const href = safe(url);
  if (!href) return document.createTextNode(label);
  return node('a', { href, target: '_blank', rel: 'noopener noreferrer' }, label);
}

// plainText is a plain_text object: emoji names are the only markup.
export const plainText = (t) => emojify(unescape(t?.text ?? ''));

// textNode renders a text object of either kind into a span or the given tag.
export function textNode(t, names, tag = 'div', cls = '') {
  const n = node(tag, { class: cls });
  if (!t) return n;
  if (t.type === 'mrkdwn') n.append(...mrkdwn(t.text, names));
  else n.append(plainText(t));
  return n;
}

// mrkdwn gives the nodes for Slack's own markup.
export function mrkdwn(s, names) {
  const out = [];
  s.split(/```\n?([\s\S]+?)\n?```/g).forEach((part, i) => {
    if (i % 2) out.push(node('pre', { tabindex: '0' }, unescape(part)));
    else if (part) out.push(...lines(part.replace(/^\n|\n$/g, (m) => (i === 0 && s.startsWith('\n') ? m : '')), names));
  });
  return out;
}

function lines(s, names) {
  const out = [];
  let quote = null;
  let item = null; // the bullet that indented lines go on with
  let fresh = true; // whether a line break is still owed before the next line
  for (const line of s.split('\n')) {
    const q = /^(?:&gt;|>) ?(.*)$/.exec(line);
    if (q) {
      item = null;
      if (!quote) out.push((quote = node('blockquote')));
      else quote.append(node('br'));
      quote.append(...inline(q[1], names));
      fresh = true;
      continue;
    }
    quote = null;
    const b = /^(\s*)([•◦▪–-]|\d+[.)]) +(.*)$/.exec(line);
    if (b && b[2] !== '-') {
      item = node('span', {}, ...inline(b[3], names));
      out.push(node('span', { class: 'bullet' }, node('span', { class: 'mark' }, b[2]), item));
      fresh = true;
      continue;
    }
    if (item && /^\s+\S/.test(line)) {
      item.append(node('br'), ...inline(line.trim(), names));
      continue;
    }
    item = null;
    if (!fresh) out.push(node('br'));
    out.push(...inline(line, names));
    fresh = false;
  }
  return out;
}

const wordish = /[\p{L}\p{N}]/u;
const styles = { '*': 'strong', _: 'em', '~': 's' };

// inline walks one line. As in Slack a mark counts only beside something that is no letter or digit.
function inline(s, names) {
  const out = [];
  let plain = '';
  const flush = () => {
    if (plain) out.push(document.createTextNode(emojify(unescape(plain))));
    plain = '';
  };
  for (let i = 0; i < s.length; ) {
    const c = s[i];
    if (c === '`') {
      const end = s.indexOf('`', i + 1);
      if (end > i + 1) {
        flush();
        out.push(node('code', {}, unescape(s.slice(i + 1, end))));
        i = end + 1;
        continue;
      }
    }
    if (c === '<') {
      const end = s.indexOf('>', i + 1);
      if (end > 0) {
        flush();
        out.push(reference(s.slice(i + 1, end), names));
        i = end + 1;
        continue;
      }
    }
    if (styles[c]) {
      const end = closing(s, i);
      if (end > 0) {
        flush();
        out.push(node(styles[c], {}, ...inline(s.slice(i + 1, end), names)));
        i = end + 1;
        continue;
      }
    }
    plain += c;
    i++;
  }
  flush();
  return out;
}

// closing finds where a style that opens at i ends, or -1.
function closing(s, i) {
  if ((i > 0 && wordish.test(s[i - 1])) || !s[i + 1] || /\s/.test(s[i + 1]) || s[i + 1] === s[i]) return -1;
  for (let j = i + 2; j < s.length; j++) {
    if (s[j] === '`') {
      const end = s.indexOf('`', j + 1);
      if (end < 0) return -1;
      j = end;
      continue;
    }
    if (s[j] === s[i] && !/\s/.test(s[j - 1]) && !(s[j + 1] && wordish.test(s[j + 1]))) return j;
  }
  return -1;
}

// reference is what stands between < and >: a link, a person, a channel, a date, a group.
function reference(ref, names) {
  const bar = ref.indexOf('|');
  const target = bar < 0 ? ref : ref.slice(0, bar);
  const label = bar < 0 ? '' : unescape(ref.slice(bar + 1));
  const mention = (t) => node('span', { class: 'mention' }, t);
  if (target.startsWith('@')) return mention('@' + (names.person(target.slice(1)) || label || target.slice(1)));
  if (target.startsWith('#')) return mention('#' + (names.channel(target.slice(1)) || label || target.slice(1)));
  if (target.startsWith('!subteam^')) return mention(label || '@' + target.slice(9));
  if (target.startsWith('!date^')) return document.createTextNode(date(target, label, names));
  if (target.startsWith('!')) return mention('@' + target.slice(1));
  return anchor(unescape(target), emojify(label) || unescape(target));
}

function date(target, fallback, names) {
  const [, secs, format] = target.split('^');
  const d = new Date(Number(secs) * 1000);
  if (Number.isNaN(d.getTime())) return fallback;
  return (format || '{date} {time}').replace(/\{(\w+)\}/g, (_, f) => (f.startsWith('time') ? names.time(d) : names.day(d)));
}

// markdown gives the nodes for a markdown block: the common subset.
export function markdown(s, names) {
  const out = [];
  const rows = s.split('\n');
  for (let i = 0; i < rows.length; i++) {
    const line = rows[i];
    const head = /^(#{1,6}) (.*)$/.exec(line);
    if (line.startsWith('```')) {
      const code = [];
      while (++i < rows.length && !rows[i].startsWith('```')) code.push(rows[i]);
      out.push(node('pre', { tabindex: '0' }, code.join('\n')));
    } else if (head) {
      out.push(node('h4', {}, ...markdownInline(head[2], names)));
    } else if (/^\s*\|.*\|\s*$/.test(line) && /^\s*\|[\s:|-]+\|\s*$/.test(rows[i + 1] ?? '')) {
      const body = [line];
      for (i += 2; i < rows.length && /^\s*\|.*\|\s*$/.test(rows[i]); i++) body.push(rows[i]);
      i--;
      const cells = body.map((r) => r.trim().slice(1, -1).split('|').map((c) => markdownInline(c.trim(), names)));
      out.push(grid(cells, []));
    } else if (/^\s*(?:[-*]|\d+\.) /.test(line)) {
      const [, mark, rest] = /^\s*([-*]|\d+\.) (.*)$/.exec(line);
      out.push(node('span', { class: 'bullet' }, node('span', { class: 'mark' }, /\d/.test(mark) ? mark : '•'), node('span', {}, ...markdownInline(rest, names))));
    } else if (line.startsWith('> ')) {
      out.push(node('blockquote', {}, ...markdownInline(line.slice(2), names)));
    } else if (line.trim()) {
      out.push(node('p', {}, ...markdownInline(line, names)));
    }
  }
  return out;
}

function markdownInline(s, names) {
  const out = [];
  const pattern = /`([^`]+)`|\*\*(.+?)\*\*|~~(.+?)~~|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)/g;
  let at = 0;
  for (const m of s.matchAll(pattern)) {
    if (m.index > at) out.push(emojify(s.slice(at, m.index)));
    at = m.index + m[0].length;
    if (m[1]) out.push(node('code', {}, m[1]));
    else if (m[2]) out.push(node('strong', {}, ...markdownInline(m[2], names)));
    else if (m[3]) out.push(node('s', {}, ...markdownInline(m[3], names)));
    else if (m[4]) out.push(node('em', {}, ...markdownInline(m[4], names)));
    else out.push(anchor(m[6], m[5]));
  }
  if (at < s.length) out.push(emojify(s.slice(at)));
  return out;
}

// grid is a table of cells (lists of nodes) whose first row is the head; it scrolls sideways by itself.
export function grid(rows, settings, caption) {
  const align = (i) => ({ right: 'right', center: 'center' })[settings[i]?.align] ?? '';
  const row = (cells, tag) =>
    node('tr', {}, ...cells.map((c, i) => node(tag, { class: `${align(i)} ${settings[i]?.is_wrapped ? 'wrap' : ''}`.trim(), scope: tag === 'th' ? 'col' : null }, ...c)));
  const t = node('table', {}, caption ? node('caption', {}, caption) : null, node('thead', {}, row(rows[0] ?? [], 'th')), node('tbody', {}, ...rows.slice(1).map((r) => row(r, 'td'))));
  return node('div', { class: 'table', tabindex: '0', role: 'region', 'aria-label': caption || 'table' }, t);
}

// richText gives the nodes for the elements of a rich_text block or cell.
export function richText(elements, names) {
  return elements.map((e) => {
    switch (e.type) {
      case 'rich_text_list':
        return node(e.style === 'ordered' ? 'ol' : 'ul', { class: `indent${e.indent || 0}` }, ...e.elements.map((li) => node('li', {}, ...richInline(li.elements ?? [], names))));
      case 'rich_text_preformatted':
        return node('pre', { tabindex: '0' }, ...richInline(e.elements, names));
      case 'rich_text_quote':
        return node('blockquote', {}, ...richInline(e.elements, names));
      default:
        return node('span', { class: 'rich' }, ...richInline(e.elements ?? [], names));
    }
  });
}

function richInline(elements, names) {
  return elements.map((e) => {
    switch (e.type) {
      case 'text':
        return styled(document.createTextNode(e.text), e.style);
      case 'link':
        return styled(anchor(e.url, e.text || e.url), e.style);
      case 'emoji':
        return document.createTextNode(emoji[e.name] ?? `:${e.name}:`);
      case 'user':
        return node('span', { class: 'mention' }, '@' + (names.person(e.user_id) || e.user_id));
      case 'channel':
        return node('span', { class: 'mention' }, '#' + (names.channel(e.channel_id) || e.channel_id));
      case 'broadcast':
        return node('span', { class: 'mention' }, '@' + e.range);
      case 'date':
        return document.createTextNode(date(`!date^${e.timestamp}^${e.format ?? ''}`, e.fallback ?? '', names));
      default:
        return document.createTextNode(e.text ?? e.fallback ?? '');
    }
  });
}

function styled(n, style = {}) {
  for (const [k, tag] of [['code', 'code'], ['bold', 'strong'], ['italic', 'em'], ['strike', 's']]) {
    if (style?.[k]) n = node(tag, {}, n);
  }
  return n;
}
