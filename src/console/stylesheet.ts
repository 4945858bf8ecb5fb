/** The console's stylesheet, inline under a nonce. Light and dark follow the reader's setting. */
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --paper: #f4f3ee; --card: #fffefb; --ink: #1c1f1e; --muted: #666d69; --line: #dedbd0;
  --good: #0f6b52; --warn: #9a6200; --alarm: #b3261e;
  --detected: #76808c; --confirming: #2f6fb2; --verifying: #6b50b8; --credited: #12805f;
  --settled: #0a4f3c; --internal: #8d8a7e; --held: #b27300; --rolled-back: #a8502a;
  --reversed: #b3261e;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #101413; --card: #181d1b; --ink: #e7eae6; --muted: #969f9a; --line: #2a312e;
    --good: #4fc498; --warn: #e0a83f; --alarm: #ff8a80;
    --detected: #929ca8; --confirming: #74aee8; --verifying: #ab93ef; --credited: #4fc498;
    --settled: #2f9a75; --internal: #8c8f86; --held: #e0a83f; --rolled-back: #e58e66;
    --reversed: #ff8a80;
  }
}
.detected { --tone: var(--detected); } .confirming { --tone: var(--confirming); }
.verifying { --tone: var(--verifying); } .credited { --tone: var(--credited); }
.settled { --tone: var(--settled); } .internal { --tone: var(--internal); }
.held { --tone: var(--held); } .rolled_back { --tone: var(--rolled-back); }
.reversed { --tone: var(--reversed); }
.critical { --tone: var(--alarm); } .warning { --tone: var(--warn); }
.info { --tone: var(--muted); }

* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.45 var(--sans); font-variant-numeric: tabular-nums;
}
h1, h2, p, dl, dd, ul { margin: 0; padding: 0; }
ul { list-style: none; }
a { color: inherit; }
h2 {
  font-size: 12px; font-weight: 600; letter-spacing: 0.07em; text-transform: uppercase;
  color: var(--muted); margin-bottom: 14px;
}

header, main { max-width: 1480px; margin: 0 auto; padding: 0 28px; }
header { display: flex; align-items: center; gap: 20px; padding-top: 22px; padding-bottom: 20px; }
h1 { display: flex; align-items: center; gap: 10px; font-size: 19px; letter-spacing: -0.01em; }
.logo { display: inline-flex; width: 30px; }
.link { font-size: 13px; color: var(--muted); }
.link span::before {
  content: ""; display: inline-block; width: 7px; height: 7px; border-radius: 50%;
  margin-right: 7px; background: var(--good);
}
.link .down { display: none; color: var(--alarm); }
.link .down::before { background: var(--alarm); }
[data-link="down"] .up { display: none; }
[data-link="down"] .link .down { display: inline; }
nav { margin-left: auto; display: flex; align-items: center; gap: 18px; font-size: 14px; }
nav form { display: flex; align-items: center; gap: 12px; }
.visitor { color: var(--muted); }
button {
  font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 7px; padding: 5px 12px; cursor: pointer;
}
button:hover { border-color: var(--muted); }
:focus-visible { outline: 2px solid var(--good); outline-offset: 2px; }

#live { display: grid; gap: 16px; padding-bottom: 28px; }
.card, .tiles {
  background: var(--card); border: 1px solid var(--line); border-radius: 12px;
}
.card { padding: 18px 20px; min-width: 0; }
.notices { border-color: var(--alarm); color: var(--alarm); }
.tiles { display: grid; grid-template-columns: repeat(6, 1fr); overflow: hidden; }
.tile { padding: 15px 20px; border-left: 1px solid var(--line); }
.tile:first-child { border-left: 0; }
dt { font-size: 13px; color: var(--muted); }
.tile dd { font-size: 27px; font-weight: 600; letter-spacing: -0.02em; line-height: 1.25; }
.warn dd { color: var(--warn); }
.alarm dd { color: var(--alarm); }

.tone { fill: var(--tone); }
.bar { display: block; width: 100%; height: 18px; border-radius: 6px; }
.legend { display: flex; flex-wrap: wrap; gap: 6px 24px; margin-top: 13px; font-size: 14px; }
.legend li { display: flex; align-items: center; gap: 8px; }
.key { width: 10px; height: 10px; }

.columns { display: grid; grid-template-columns: minmax(0, 1fr) 400px; gap: 16px; }
.side { display: grid; gap: 16px; align-content: start; min-width: 0; }
.scroll { overflow-x: auto; }
.scroll a { white-space: nowrap; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th {
  text-align: left; font-size: 12px; font-weight: 500; color: var(--muted); white-space: nowrap;
  padding: 0 14px 8px 0; border-bottom: 1px solid var(--line);
}
td {
  padding: 9px 14px 9px 0; vertical-align: top; border-bottom: 1px solid var(--line);
}
tr:last-child td { border-bottom: 0; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; }
td.number { white-space: nowrap; }
.id { font: 12.5px/1.65 var(--mono); overflow-wrap: anywhere; }
.name { white-space: nowrap; }
.whole { user-select: all; }
.cut { display: block; max-width: 19ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.amount { min-width: 10rem; max-width: 19rem; }
.muted { color: var(--muted); }
.figure { font-weight: 600; overflow-wrap: anywhere; white-space: normal; }
.units {
  display: block; font: 11.5px/1.5 var(--mono); color: var(--muted); overflow-wrap: anywhere;
  white-space: normal;
}
.badge {
  display: inline-block; padding: 1px 9px; border-radius: 99px; font-size: 12.5px;
  font-weight: 600; white-space: nowrap; color: var(--tone);
  background: color-mix(in srgb, var(--tone) 13%, var(--card));
}
.why { display: block; margin: 2px 0 0 9px; font-size: 12px; color: var(--muted); }
.depth i { color: var(--muted); font-style: normal; margin: 0 1px; }
.gauge { display: block; width: 40px; height: 3px; margin: 5px 0 0 auto; }
.groove { fill: var(--line); }
.foot { margin-top: 12px; font-size: 13px; color: var(--muted); }
.empty { color: var(--muted); padding: 6px 0; }
.empty.good { color: var(--good); }

.breaks { display: grid; gap: 14px; }
.break { border-left: 3px solid var(--tone); padding-left: 13px; min-width: 0; }
.break .head { display: flex; align-items: baseline; gap: 9px; }
.break .head b { font-weight: 600; }
.break .head time { margin-left: auto; color: var(--muted); font-size: 13px; white-space: nowrap; }
.break .why { display: inline; margin: 0; }
.severity { color: var(--tone); font-size: 12.5px; font-weight: 600; }
.break p { font-size: 13.5px; color: var(--muted); overflow-wrap: anywhere; }
.break .difference { color: var(--ink); margin-top: 3px; }
.difference .units { display: inline; margin-left: 4px; }

.run { display: grid; grid-template-columns: repeat(4, 1fr); gap: 10px; }
.run dd { font-size: 20px; font-weight: 600; }
.causes { margin-top: 12px; font-size: 13.5px; color: var(--muted); }
.causes li { display: flex; justify-content: space-between; padding: 3px 0; }
.incomplete { margin-top: 8px; color: var(--warn); font-size: 14px; }
.taken { font-size: 13px; color: var(--muted); text-align: right; }

.sign-in main { min-height: 100vh; display: grid; place-items: center; padding: 24px; }
.sign-in form { width: min(380px, 100%); display: grid; gap: 12px; padding: 28px; }
.sign-in h1 { margin-bottom: 8px; }
.sign-in label { font-size: 14px; font-weight: 600; }
.sign-in input {
  font: 15px var(--mono); color: inherit; background: var(--paper); width: 100%;
  border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px;
}
.sign-in button {
  background: var(--good); border-color: var(--good); color: var(--card); font-weight: 600;
  padding: 10px;
}
.refused { color: var(--alarm); font-size: 14px; }
.hint { font-size: 13px; color: var(--muted); }

@media (max-width: 1180px) { .columns { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 760px) {
  header, main { padding-left: 16px; padding-right: 16px; }
  header { flex-wrap: wrap; gap: 10px 16px; }
  .tiles { grid-template-columns: repeat(3, 1fr); }
  .tile:nth-child(4) { border-left: 0; }
  .tile:nth-child(n + 4) { border-top: 1px solid var(--line); }
  .tile { padding: 12px 14px; }
  .wide { display: none; }
  .amount { min-width: 0; }
  th, td { padding-right: 9px; }
}
`;
