import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/catalogue.ts';
import { BREAK_TYPES } from '../../src/domain/break/break.ts';
import {
  REPORT_STATUSES,
  type DailyReport,
  type ExplanationKind,
  type PriorDayItem,
  type ReportException,
} from '../../src/domain/close/report.ts';
import { SKIP_CAUSES } from '../../src/domain/deposit/record/comparison.ts';
import { PERMISSIONS, ROLES } from '../../src/domain/access/role.ts';
import { parseConfig, WHOLE } from '../../src/ops/config/config.ts';
import { FORMATS } from '../../src/report/document.ts';
import { apiUnderTest } from '../api/api-under-test.ts';
import {
  alertNames,
  ANY_FILE,
  configurationKeys,
  metricNames,
  tableNames,
  unnamed,
} from './names.ts';
import { blocksOf, proseOf, readPage } from './reading/page.ts';

/** The keys of `api.tokens` are written after their list, because `name` alone says little. */
function afterTheirList(key: string): string {
  return ['name', 'role', 'sha256'].includes(key) ? `api.tokens[].${key}` : key;
}

async function apiCalls(): Promise<string[]> {
  const { body } = await (await apiUnderTest()).request('GET', '/openapi.json');
  const { paths } = body as { paths: Record<string, Record<string, object>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

const LISTS: readonly (readonly [string, string, () => readonly string[] | Promise<string[]>])[] = [
  ['metric', 'docs/reference/metrics.md', metricNames],
  ['alert', 'docs/how-to/monitor.md', alertNames],
  ['break type', 'docs/reference/breaks.md', () => BREAK_TYPES],
  [
    'key of the configuration',
    'docs/reference/configuration.md',
    () => configurationKeys().map(afterTheirList),
  ],
  ['role', 'docs/reference/api.md', () => ROLES],
  ['permission', 'docs/reference/api.md', () => Object.keys(PERMISSIONS)],
  ['call of the API', 'docs/reference/api.md', apiCalls],
  ['table', 'docs/reference/schema.md', tableNames],
  ['report format', 'docs/reference/daily-report.md', () => FORMATS],
  ['verdict', 'docs/reference/daily-report.md', () => REPORT_STATUSES],
  ['cause of a skip', 'docs/explanation/reconciliation.md', () => SKIP_CAUSES],
];

test.for(LISTS)('every %s is named in %s, and a missing one is found', async (list) => {
  const [, path, namesOf] = list;
  const names = await namesOf();
  const text = proseOf(readPage(path));
  expect(names.length).toBeGreaterThan(2);
  expect(unnamed(names, text)).toEqual([]);
  for (const name of names) {
    const without = text.replaceAll(`\`${name}\``, '').replaceAll(`\`${name}{`, '');
    expect(unnamed(names, without)).toEqual([name]);
  }
});

/** The names in code marks in the first column of the table under a heading. */
function namesInTable(path: string, heading: string): string[] {
  const section = readPage(path).text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const body = section.split(/^\| -.*\n/m)[1] ?? '';
  const cells = body.split('\n').map((line) => line.split('|')[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

async function parametersOf(path: string): Promise<string[]> {
  const { body } = await (await apiUnderTest()).request('GET', '/openapi.json');
  const { paths } = body as { paths: Record<string, { get: { parameters: { name: string }[] } }> };
  return (paths[path]?.get.parameters ?? []).map(({ name }) => name);
}

test.for([
  ['The credit feed', '/v1/credits'],
  ["A position's statement", '/v1/statements'],
] as const)('%s: the table has every parameter of %s', async ([heading, path]) => {
  const named = namesInTable('docs/reference/api.md', heading);
  expect(named.toSorted()).toEqual((await parametersOf(path)).toSorted());
});

const MEMBERS = {
  version: true,
  day: true,
  timezone: true,
  from: true,
  cutOffAt: true,
  closedAt: true,
  status: true,
  exceptions: true,
  openDifferences: true,
  journal: true,
  previous: true,
  totals: true,
  custody: true,
  custodyAfterCutOff: true,
  differences: true,
  inTransit: true,
  unconfirmed: true,
  priorDay: true,
  openBreaks: true,
  laterBreaks: true,
  ageing: true,
  exempt: true,
  vaultNames: true,
  reportHash: true,
  signatures: true,
} satisfies Record<keyof DailyReport | 'reportHash' | 'signatures', true>;

const EXCEPTION_KINDS = {
  identity: true,
  custody_not_compared: true,
  custody_rows_unreadable: true,
  chain_not_compared: true,
  unexplained_difference: true,
} satisfies Record<ReportException['kind'], true>;

const EXPLANATIONS = {
  timing: true,
  in_grace: true,
  break: true,
  resolved_break: true,
  exempt: true,
  suspense: true,
  burned_fee: true,
  custody_pending: true,
  chain_not_told: true,
  unexplained: true,
} satisfies Record<ExplanationKind, true>;

const PRIOR_DAY_REASONS = {
  late_event: true,
  recorded_late: true,
  reversal: true,
  suspense: true,
  reclassified: true,
  custody_late: true,
} satisfies Record<PriorDayItem['reason'], true>;

test.for([
  ['Members', MEMBERS],
  ['Exceptions', EXCEPTION_KINDS],
  ['Differences', EXPLANATIONS],
  ['Prior-day items', PRIOR_DAY_REASONS],
] as const)('the table under %s of the daily report names each, and nothing else', (table) => {
  const [heading, known] = table;
  const names = namesInTable('docs/reference/daily-report.md', heading);
  expect(names.toSorted()).toEqual(Object.keys(known).toSorted());
});

test('every command is named in its reference', () => {
  const { text } = readPage('docs/reference/commands.md');
  const missed = COMMANDS.filter(
    ({ name }) => !new RegExp(`\`counterfoil ${name}[ \`]`).test(text),
  );
  expect(missed.map(({ name }) => name)).toEqual([]);
});

test('every break type has its section, and no other type has one', () => {
  const headings = [
    ...proseOf(readPage('docs/how-to/handle-each-break.md')).matchAll(/^## (.+)$/gm),
  ];
  const sections = headings
    .map(([, heading = '']) => heading)
    .filter((one) => one !== 'The common steps');
  expect(sections.toSorted()).toEqual([...BREAK_TYPES].toSorted());
});

test.for(BREAK_TYPES)(
  'the section of %s says what, how bad, what to look at and what to do',
  (type) => {
    const { text } = readPage('docs/how-to/handle-each-break.md');
    const section = text.split(`\n## ${type}\n`)[1]?.split('\n## ')[0] ?? '';
    for (const part of ['**What happened.**', '**How bad.**', '**Look at**', '**Do']) {
      expect(section).toContain(part);
    }
    expect(section).toContain('```sh');
  },
);

/** Parts of a configuration that a page shows for its reader to add. */
const FRAGMENTS = [
  'docs/how-to/put-it-behind-a-proxy.md',
  'docs/how-to/exempt-a-difference.md',
] as const;

const OWN_TOKEN = { pathTokens: ['a'.repeat(32)] };

test.for(FRAGMENTS)('the part of a configuration that %s shows is accepted', (path) => {
  const text = blocksOf(readPage(path)).find(({ language }) => language === 'json')?.text ?? '';
  // The tests have no file of tokens.
  const shown = text.replace(
    '"pathTokensFile": "secrets/hooks.token"',
    JSON.stringify(OWN_TOKEN).slice(1, -1),
  );
  const accepted = (part: object): string =>
    parseConfig(
      {
        store: 'sqlite:a.db',
        intake: OWN_TOKEN,
        crediting: { default: { confirmations: 6 } },
        ...part,
      },
      { part: WHOLE, folder: '/', checks: ANY_FILE },
    ).kind;
  expect(accepted(JSON.parse(shown) as object)).toBe('ok');
  // A key of the fragment that we do not know.
  const [, key = ''] = /"(form|breakType)"/.exec(shown) ?? [];
  expect(accepted(JSON.parse(shown.replace(key, `${key}x`)) as object)).toBe('invalid');
});
