// A data_visualization block as a small SVG with its figures as a table for screen readers.

import { node } from './text.js';

const colours = 6; // .s0 … .s5 in the style sheet
const W = 560;
const H = 220;

function svg(tag, attrs, ...children) {
  const n = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attrs)) n.setAttribute(k, v);
  n.append(...children);
  return n;
}

export function chart(b) {
  const c = b.chart ?? {};
  const series = c.type === 'pie' ? [{ name: b.title, data: c.segments ?? [] }] : (c.series ?? []);
  const draw = c.type === 'pie' ? pie(c.segments ?? []) : axes(c.type, series, c.axis_config ?? {});
  const legend = (c.type === 'pie' ? (c.segments ?? []).map((s) => s.label) : series.map((s) => s.name)).map((name, i) =>
    node('span', {}, node('i', { class: `s${i % colours}` }), name),
  );
  const pic = svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': describe(b.title, series) }, ...draw);
  return node('figure', { class: 'b-chart' }, node('figcaption', {}, b.title ?? ''), pic, node('div', { class: 'legend' }, ...legend));
}

const describe = (title, series) => `${title}: ` + series.map((s) => `${s.name} ` + s.data.map((p) => `${p.label} ${p.value}`).join(', ')).join('; ');

function nice(max) {
  const mag = 10 ** Math.floor(Math.log10(max || 1));
  return [1, 2, 2.5, 5, 10].map((m) => m * mag).find((m) => m >= max) ?? max;
}

function axes(type, series, axis) {
  const labels = axis.categories ?? series[0]?.data.map((p) => p.label) ?? [];
  const top = nice(Math.max(1e-9, ...series.flatMap((s) => s.data.map((p) => p.value))));
  const x0 = 46;
  const y0 = H - 26;
  const h = y0 - 12;
  const step = (W - x0 - 8) / Math.max(1, labels.length);
  const y = (v) => y0 - (v / top) * h;
  const value = (s, label, i) => (s.data.find((p) => p.label === label) ?? s.data[i])?.value ?? 0;
  const out = [];
  for (const f of [0, 0.5, 1]) {
    out.push(svg('line', { class: 'axis', x1: x0, x2: W - 8, y1: y(top * f), y2: y(top * f) }));
    out.push(svg('text', { class: 'tick', x: x0 - 6, y: y(top * f) + 4, 'text-anchor': 'end' }, String(+(top * f).toPrecision(3))));
  }
  const every = Math.ceil(labels.length / 10);
  labels.forEach((l, i) => {
    if (i % every === 0) out.push(svg('text', { class: 'tick', x: x0 + step * (i + 0.5), y: H - 8, 'text-anchor': 'middle' }, l));
  });
  series.forEach((s, k) => {
    if (type === 'bar') {
      const w = Math.min(26, (step * 0.76) / series.length);
      labels.forEach((l, i) => {
        const v = value(s, l, i);
        const x = x0 + step * (i + 0.5) - (w * series.length) / 2 + w * k;
        out.push(svg('rect', { class: `s${k % colours}`, x: x + 0.5, y: y(v), width: Math.max(1, w - 1), height: Math.max(0, y0 - y(v)), rx: 2 }));
      });
      return;
    }
    const pts = labels.map((l, i) => `${x0 + step * (i + 0.5)},${y(value(s, l, i))}`);
    if (type === 'area') out.push(svg('polygon', { class: `area s${k % colours}`, points: [`${x0 + step / 2},${y0}`, ...pts, `${x0 + step * (labels.length - 0.5)},${y0}`].join(' ') }));
    out.push(svg('polyline', { class: `line s${k % colours}`, points: pts.join(' ') }));
  });
  return out;
}

function pie(segments) {
  const sum = segments.reduce((a, s) => a + s.value, 0) || 1;
  let from = -Math.PI / 2;
  const [cx, cy, r] = [W / 2, H / 2, H / 2 - 10];
  return segments.map((s, i) => {
    const to = from + (s.value / sum) * 2 * Math.PI * 0.99999;
    const at = (a) => `${cx + r * Math.cos(a)} ${cy + r * Math.sin(a)}`;
    const d = `M${cx} ${cy}L${at(from)}A${r} ${r} 0 ${to - from > Math.PI ? 1 : 0} 1 ${at(to)}Z`;
    from = to;
    return svg('path', { class: `s${i % colours}`, d });
  });
}
