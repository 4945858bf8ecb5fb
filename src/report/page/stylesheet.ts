/** The printable page's stylesheet, inline in the page. */
export const STYLESHEET = `
:root { color-scheme: light; font: 14px/1.45 system-ui, sans-serif; color: #17211d; }
body { margin: 0 auto; padding: 2rem; max-width: 90rem; background: #fff; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.lead { color: #55635d; margin: .25rem 0 1rem; }
.verdict { display: inline-block; padding: .25rem .75rem; border-radius: 1rem; font-weight: 600; }
.verdict.balanced { background: #dff3e8; color: #0b5a43; }
.verdict.open { background: #fdf0d0; color: #7a4d00; }
.verdict.exceptions { background: #fde3dc; color: #9c2b10; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .5rem; border-bottom: 1px solid #dfe6e2; vertical-align: top; }
th { font-weight: 600; font-size: .8rem; color: #55635d; }
.number { text-align: right; white-space: nowrap; } .number.note { white-space: normal; } .id { font-family: ui-monospace, monospace; font-size: .8rem; overflow-wrap: anywhere; min-width: 6.5rem; }
.zero-figure { color: #a9b5b0; } td.closing { font-weight: 600; } td.apart { font-weight: 600; color: #9c2b10; }
h3 { font-size: .9rem; margin: 1rem 0 .25rem; } .vault .id { display: block; }
tfoot td { font-weight: 600; border-top: 2px solid #17211d; border-bottom: 0; }
th.id { font: inherit; font-weight: 600; font-size: .8rem; } .time { white-space: nowrap; }
.list td { font-size: .8rem; } .list .text { min-width: 5rem; }
.figures td { font-size: .8rem; } .figures td, .figures th { padding: .3rem; } .figures th { white-space: normal; }
.vault { min-width: 7.5rem; }
.scroll { overflow-x: auto; } .note { color: #55635d; } ul { padding-left: 1.2rem; }
.waterfall { width: 100%; max-width: 44rem; height: auto; margin: .5rem 0; }
.waterfall text { font-size: 10px; text-anchor: middle; fill: #55635d; }
.waterfall .zero { stroke: #a9b5b0; } .waterfall .level rect { fill: #4a5a53; }
.waterfall .up rect { fill: #1c8a63; } .waterfall .down rect { fill: #c2542d; }
.sign { display: grid; grid-template-columns: 1fr 1fr; gap: 2rem; }
.sign div { border-top: 1px solid #17211d; padding-top: .4rem; margin-top: 3rem; }
.seal { font-family: ui-monospace, monospace; font-size: .75rem; overflow-wrap: anywhere; }
@page { size: landscape; }
@media print {
  body { padding: 0; max-width: none; } h2 { break-after: avoid; } tr, svg { break-inside: avoid; }
  .scroll { overflow: visible; } .figures td, .figures th { font-size: .65rem; padding: .25rem; }
  td.number { white-space: normal; overflow-wrap: anywhere; } .vault { min-width: 0; }
}
`;
