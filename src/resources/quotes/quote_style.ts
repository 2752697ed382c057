// How the page of a quote looks: a sheet of paper, light or dark, that is readable at any width and prints well.

/** The columns of lines below each other, each with its title. */
const below = `.lines, .lines tbody { display: block; }
  .lines thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .lines tr { display: block; padding: 1rem 0; border-bottom: 1px solid var(--rule); }
  .lines tbody { border-top: 1px solid var(--rule); }
  .lines td { display: flex; justify-content: space-between; gap: 1.5rem; max-width: 22rem; margin-inline-start: auto; padding: .1rem 0; border: 0; font-size: .9rem; white-space: normal; }
  .lines td.item { display: block; max-width: none; font-size: 1rem; font-weight: 600; padding-bottom: .35rem; }
  .lines td.item small { font-weight: 400; }
  .lines td:empty { display: none; }
  .lines td[data-title]::before { content: attr(data-title); color: var(--quiet); }
  .lines td.amount { font-weight: 600; font-size: 1rem; }`;

/** `columns` is how wide the table is at least, in digits: on a narrower sheet, its columns are below each other. */
export const styleFor = (columns: number): string => `
:root {
  color-scheme: light dark; font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --back: #f1f3f5; --paper: #fff; --ink: #1b2430; --quiet: #5a6472; --rule: #d9dee4; --accent: #1d4f8c; --on-accent: #fff; --wrong: #b3261e; --note: #e9f0f8;
}
@media (prefers-color-scheme: dark) {
  :root { --back: #12161b; --paper: #1b2027; --ink: #e8ebef; --quiet: #a5afbb; --rule: #343c46; --accent: #8ab8f0; --on-accent: #10151b; --wrong: #ffb4ab; --note: #223044; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); overflow-wrap: anywhere; }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
p, h1, h2, dl, dd { margin: 0; }
article { container-type: inline-size; }
article, form { background: var(--paper); border: 1px solid var(--rule); border-radius: .75rem; padding: 3rem; }
.words { white-space: pre-line; unicode-bidi: plaintext; }
.notice { background: var(--note); border-radius: .75rem; padding: .9rem 1.25rem; margin-bottom: 1rem; font-weight: 600; }
.letterhead { display: flex; justify-content: space-between; gap: 2rem; }
.letterhead > * { min-width: 0; }
.logo { display: block; max-width: min(14rem, 100%); max-height: 4rem; margin-bottom: .75rem; }
.name { font-weight: 600; }
.name.large { font-size: 1.3rem; line-height: 1.3; }
.address, .what p { color: var(--quiet); font-size: .9rem; line-height: 1.45; }
.what { text-align: end; flex: none; }
h1 { font-size: 2rem; line-height: 1.15; letter-spacing: -.01em; font-weight: 650; }
.facts { display: flex; justify-content: space-between; gap: 1rem 2rem; margin-top: 1.75rem; padding-top: 1.25rem; border-top: 1px solid var(--rule); }
.label, dt { color: var(--quiet); font-size: .85rem; }
.for span { display: block; }
.for .label + span { font-weight: 600; }
dl { display: grid; gap: .2rem; align-content: start; flex: none; }
dl div { display: flex; justify-content: space-between; align-items: baseline; gap: 1.5rem; }
.subject { font-size: 1.35rem; line-height: 1.3; font-weight: 600; margin-top: 2.25rem; }
article > .words { margin-top: 1rem; }
.due + .words, .sums + .words { margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.lines { margin: 2rem 0 1rem; }
th, td { text-align: start; vertical-align: top; padding: .75rem 0 .75rem 1rem; border-bottom: 1px solid var(--rule); }
th:first-child, td:first-child { padding-inline-start: 0; }
th { font-weight: 400; color: var(--quiet); font-size: .85rem; }
.number { text-align: end; white-space: nowrap; overflow-wrap: normal; }
td.price, td.tax { white-space: normal; }
.lines .item { min-width: 9rem; }
td.item span { display: block; }
td small { display: block; color: var(--quiet); font-size: .875rem; line-height: 1.45; margin-top: .15rem; }
.sums { width: min(22rem, 100%); margin-inline-start: auto; }
.sums, .sums tbody { display: block; }
.sums tr { display: flex; flex-wrap: wrap; justify-content: space-between; column-gap: 1rem; padding: .3rem 0; }
.sums th, .sums td { border: 0; padding: 0; font-size: 1rem; }
.sums .number { margin-inline-start: auto; }
.sums tr:last-child { border-top: 1px solid var(--ink); padding-top: .7rem; }
.sums tr:last-child > * { font-weight: 650; font-size: 1.25rem; color: var(--ink); }
.sums tr:nth-last-child(2) { padding-bottom: .7rem; }
.due { text-align: end; color: var(--quiet); font-size: .9rem; margin-top: .25rem; }
.terms { margin-top: 2rem; font-size: .9rem; color: var(--quiet); }
.terms h2, form h2 { font-size: 1rem; color: var(--ink); margin-bottom: .25rem; }
form { margin-top: 1rem; display: grid; gap: 1rem; padding: 2rem 3rem; }
form > * { max-width: 26rem; }
label { display: grid; gap: .3rem; font-size: .9rem; }
input, button { font: inherit; font-size: 1rem; padding: .7rem .9rem; border-radius: .5rem; border: 1px solid var(--quiet); background: var(--paper); color: inherit; width: 100%; }
button { cursor: pointer; font-weight: 600; background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.second { background: transparent; color: var(--ink); border-color: var(--quiet); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.error { color: var(--wrong); font-weight: 600; }
.buttons { display: flex; gap: .75rem; }
.pdf { text-align: center; margin-top: 1.25rem; font-size: .95rem; }
a { color: var(--accent); }
@media (max-width: 44rem) {
  main { padding: .75rem .75rem 3rem; }
  article, form { padding: 1.5rem 1.25rem; }
  .facts { flex-direction: column; }
  ${below}
}
@container (max-width: ${columns}ch) {
  ${below}
}
@media print {
  :root { color-scheme: light; --back: #fff; --paper: #fff; --ink: #000; --quiet: #444; --rule: #bbb; }
  main, article { padding: 0; border: 0; max-width: none; }
  form, .pdf { display: none; }
  thead { display: table-header-group; }
  .lines tr { break-inside: avoid; }
}
@media (prefers-color-scheme: dark) { .logo { background: #fff; padding: .4rem .6rem; border-radius: .4rem; } }
`;
