import { expect, test } from 'vitest';
import { houseWith, rulesBrokenBy } from './clean-house.ts';
import { houseViolations } from './house.ts';
import type { HouseRule } from './house.ts';
import { readSources } from '../source.ts';
import { spoken } from './violation.ts';

const sources = [...readSources('src'), ...readSources('test')];

test('the house keeps every rule', () => {
  expect(sources.some(({ path }) => path.startsWith('src/'))).toBe(true);
  expect(houseViolations(sources).map(spoken)).toEqual([]);
});

test('a run that read no source is a violation, not a success', () => {
  expect(houseViolations([]).map(({ rule }) => rule)).toEqual(['nothing-read']);
  const testsOnly = [{ path: 'test/wire/page.test.ts', text: 'export const one = 1;' }];
  expect(houseViolations(testsOnly).map(({ rule }) => rule)).toEqual(['nothing-read']);
});

test('a clean house has no violation', () => {
  expect(houseViolations(houseWith('src/main.ts', 'export const one = 1;'))).toEqual([]);
});

const ALLOWED: [path: string, text: string][] = [
  [
    'src/main.ts',
    "import { name } from './simulator/core.ts'; export const n = [name, process.env];",
  ],
  [
    'src/main.ts',
    "import { name } from './commands/serve.ts'; export const n = process.argv + name;",
  ],
  [
    'src/commands/serve.ts',
    "import { name } from '../store/sqlite/journal.ts'; export const n = name;",
  ],
  ['src/wire/page.ts', "import { z } from 'zod'; export const n = z;"],
  ['src/wire/page.ts', "import * as z from 'zod/mini'; export const n = z;"],
  ['src/domain/amount.ts', "import { id } from './ids.ts'; export const n = id;"],
  ['src/intake/decode.ts', "import { name } from '../wire/page.ts'; export const n = name;"],
  ['src/intake/decode.ts', "import { name } from '../domain/amount.ts'; export const n = name;"],
  ['src/intake/decode.ts', "import type { J } from '../store/journal.ts'; export type N = J;"],
  ['src/intake/decode.ts', "export type N = import('../store/journal.ts').J;"],
  ['src/store/journal.ts', "import { name } from '../domain/amount.ts'; export const n = name;"],
  ['src/store/sqlite/journal.ts', "import { name } from '../journal.ts'; export const n = name;"],
  ['src/store/sqlite/journal.ts', "import db from 'better-sqlite3'; export const n = db;"],
  ['src/custody/client.ts', "import { name } from '../wire/page.ts'; export const n = name;"],
  ['src/reconcile/sweep.ts', "import { name } from '../custody/client.ts'; export const n = name;"],
  ['src/reconcile/sweep.ts', "import { name } from '../store/journal.ts'; export const n = name;"],
  ['src/api/credits.ts', "import { name } from '../store/journal.ts'; export const n = name;"],
  ['src/simulator/core.ts', "import { name } from '../wire/page.ts'; export const n = name;"],
  ['src/console/page.ts', "import { name } from '../pages/parts/card.ts'; export const n = name;"],
  ['src/pages/parts/card.ts', "import { html } from 'hono/html'; export const n = html;"],
  [
    'src/simulator/inspector/clock.ts',
    "import { name } from '../../pages/parts/card.ts'; export const n = name;",
  ],
  ['src/simulator/inspector/clock.ts', "import { name } from '../core.ts'; export const n = name;"],
  ['src/simulator/core.ts', "import { readFile } from 'node:fs'; export const n = readFile;"],
  ['src/ops/config.ts', "import type { A } from '../domain/amount.ts'; export type N = A;"],
  [
    'src/ops/lifecycle.ts',
    "/** Documented. */ export const n = () => process.on('SIGTERM', () => undefined);",
  ],
  [
    'src/domain/ids.ts',
    '/** Documented. */ export const n = (at: number) => new Date(at).toISOString();',
  ],
  [
    'src/domain/ids.ts',
    '/** Documented. */ export const n = (a: { process: string }) => a.process;',
  ],
  [
    'src/domain/ids.ts',
    '/** Documented. */ export const n = (a: number) => Number.isSafeInteger(a) && Math.min(a, 3);',
  ],
  ['src/domain/ids.ts', "export const n = 'process.env, Math.random() and parseFloat in a text';"],
];

test.for(ALLOWED)('%s may hold: %s', ([path, text]) => {
  const extra = { path: 'src/domain/ids.ts', text: 'export const id = 1;' };
  const house = [...houseWith(path, text), ...(path === extra.path ? [] : [extra])];
  expect(houseViolations(house).map(spoken)).toEqual([]);
});

const value = (from: string): string => `import { name } from '${from}'; export const n = name;`;
const types = (from: string): string => `import type { T } from '${from}'; export type N = T;`;

const FORBIDDEN: [rule: HouseRule, path: string, text: string][] = [
  ['unreadable', 'src/domain/amount.ts', 'export const = 1'],
  ['unknown-area', 'src/shared/thing.ts', 'export const one = 1;'],
  ['unknown-area', 'src/other.ts', 'export const one = 1;'],
  ['unknown-area', 'src/store/mongo/journal.ts', 'export const one = 1;'],
  ['computed-import', 'src/api/credits.ts', 'export const n = (at: string) => import(at);'],
  ['dangling-import', 'src/api/credits.ts', value('./missing.ts')],
  ['dangling-import', 'src/api/credits.ts', value('../domain/amount')],
  ['dangling-import', 'src/api/credits.ts', value('../../test/house/code/house.ts')],

  ['arrow', 'src/wire/page.ts', value('../domain/amount.ts')],
  ['arrow', 'src/wire/page.ts', types('../domain/amount.ts')],
  ['package', 'src/wire/page.ts', value('hono')],
  ['node-module', 'src/wire/page.ts', value('node:fs')],

  ['arrow', 'src/domain/amount.ts', value('../wire/page.ts')],
  ['arrow', 'src/domain/amount.ts', types('../wire/page.ts')],
  ['arrow', 'src/domain/amount.ts', "export const n = import('../wire/page.ts');"],
  ['arrow', 'src/domain/amount.ts', "export type N = import('../wire/page.ts').T;"],
  ['arrow', 'src/domain/amount.ts', "export const a = 1; export { name } from '../wire/page.ts';"],
  ['arrow', 'src/domain/amount.ts', "export const a = 1; export * from '../wire/page.ts';"],
  ['arrow', 'src/domain/amount.ts', "import '../wire/page.ts'; export const a = 1;"],
  ['package', 'src/domain/amount.ts', types('zod')],
  ['node-module', 'src/domain/amount.ts', value('node:crypto')],
  ['node-module', 'src/domain/amount.ts', value('crypto')],

  ['arrow', 'src/intake/decode.ts', value('../store/journal.ts')],
  [
    'arrow',
    'src/intake/decode.ts',
    "import { type J } from '../store/journal.ts'; export type N = J;",
  ],
  ['arrow', 'src/intake/decode.ts', types('../store/sqlite/journal.ts')],
  ['arrow', 'src/intake/decode.ts', value('../custody/client.ts')],
  ['arrow', 'src/store/journal.ts', value('./sqlite/journal.ts')],
  ['arrow', 'src/store/journal.ts', value('../wire/page.ts')],
  ['arrow', 'src/store/sqlite/journal.ts', value('../postgres/journal.ts')],
  ['arrow', 'src/store/postgres/journal.ts', value('../../wire/page.ts')],
  ['arrow', 'src/custody/client.ts', types('../store/journal.ts')],
  ['arrow', 'src/custody/client.ts', value('../ops/config.ts')],
  ['arrow', 'src/reconcile/sweep.ts', value('../store/sqlite/journal.ts')],
  ['arrow', 'src/reconcile/sweep.ts', value('../intake/decode.ts')],
  ['arrow', 'src/api/credits.ts', value('../custody/client.ts')],
  ['arrow', 'src/api/credits.ts', types('../wire/page.ts')],
  ['arrow', 'src/report/statement.ts', value('../api/credits.ts')],
  ['arrow', 'src/console/page.ts', value('../store/sqlite/journal.ts')],
  ['arrow', 'src/simulator/core.ts', value('../domain/amount.ts')],
  ['arrow', 'src/simulator/core.ts', types('../domain/amount.ts')],
  ['arrow', 'src/simulator/core.ts', value('../custody/client.ts')],
  ['arrow', 'src/simulator/core.ts', types('../pages/parts/card.ts')],
  ['arrow', 'src/simulator/core.ts', value('../console/page.ts')],
  ['arrow', 'src/simulator/inspector/clock.ts', value('../../console/page.ts')],
  ['arrow', 'src/simulator/inspector/clock.ts', types('../../domain/amount.ts')],
  ['arrow', 'src/console/page.ts', value('../simulator/inspector/clock.ts')],
  ['arrow', 'src/pages/parts/card.ts', types('../../domain/amount.ts')],
  ['arrow', 'src/pages/parts/card.ts', types('../../wire/page.ts')],
  ['arrow', 'src/pages/parts/card.ts', value('../../simulator/core.ts')],
  ['arrow', 'src/pages/parts/card.ts', types('../../console/page.ts')],
  ['package', 'src/pages/parts/card.ts', value('zod')],
  ['room', 'src/pages/parts/card.ts', value('../live/stream.ts')],
  ['room', 'src/domain/money/entry.ts', types('../deposit/deposit.ts')],
  ['room', 'src/domain/deposit/deposit.ts', value('../close/fold.ts')],
  ['room', 'src/domain/amount.ts', types('./money/entry.ts')],
  ['room', 'src/reconcile/list/pages.ts', value('../sweep/sweep.ts')],
  ['room', 'src/store/unit/unit-of-work.ts', types('../bookkeeping/bookkeeper.ts')],
  ['room', 'src/daemon/parts.ts', value('../commands/serve.ts')],
  ['unknown-area', 'src/domain/attic/thing.ts', 'export const one = 1;'],
  ['arrow', 'src/ops/config.ts', value('../domain/amount.ts')],
  ['arrow', 'src/ops/config.ts', types('../store/journal.ts')],
  ['arrow', 'src/ops/config.ts', types('../wire/page.ts')],
  ['arrow', 'src/api/credits.ts', value('../commands/serve.ts')],
  ['arrow', 'src/ops/config.ts', value('../main.ts')],

  ['cycle', 'src/commands/serve.ts', "import { name } from './serve.ts'; export const n = name;"],

  ['ambient-clock', 'src/domain/ids.ts', 'export const n = Date.now();'],
  ['ambient-clock', 'src/domain/ids.ts', 'export const n = new Date();'],
  ['ambient-clock', 'src/domain/ids.ts', 'const { now } = Date; export const n = now();'],
  ['ambient-clock', 'src/domain/ids.ts', 'export const n = performance.now();'],
  ['ambient-randomness', 'src/domain/ids.ts', 'export const n = Math.random();'],
  [
    'ambient-randomness',
    'src/domain/ids.ts',
    'const { random } = Math; export const n = random();',
  ],
  ['ambient-randomness', 'src/domain/ids.ts', 'export const n = crypto.randomUUID();'],
  ['ambient-effect', 'src/domain/ids.ts', 'export const n = process.uptime();'],
  ['ambient-effect', 'src/domain/ids.ts', 'export const n = setTimeout(() => undefined, 1);'],
  ['ambient-effect', 'src/domain/ids.ts', 'export const n = { fetch };'],

  ['inexact-number', 'src/domain/ids.ts', "export const n = parseFloat('1.5');"],
  ['inexact-number', 'src/domain/ids.ts', "export const n = Number.parseFloat('1.5');"],
  ['inexact-number', 'src/domain/ids.ts', "export const n = Number('1');"],
  ['inexact-number', 'src/domain/ids.ts', "export const n = ['1'].map(Number);"],
  ['inexact-number', 'src/domain/ids.ts', 'export const n = (a: number) => a.toFixed(2);'],
  ['inexact-number', 'src/domain/ids.ts', 'export const n = (a: string) => +a;'],
  ['inexact-number', 'src/domain/ids.ts', 'export const n = 0.5;'],

  ['environment', 'src/ops/config.ts', "export const n = process.env['HOME'];"],
  ['environment', 'src/ops/config.ts', "export const n = process['env'];"],
  ['environment', 'src/ops/config.ts', 'const { env } = process; export const n = env;'],
  ['environment', 'src/ops/config.ts', 'export const n = globalThis.process;'],
  ['environment', 'src/ops/config.ts', "import { env } from 'node:process'; export const n = env;"],
  ['environment', 'src/commands/serve.ts', 'export const n = process.argv;'],

  ['barrel', 'src/api/all.ts', "export * from './credits.ts';"],
  ['barrel', 'src/api/all.ts', "import { name } from './credits.ts'; export { name };"],
  ['barrel', 'test/api/all.ts', "export { test } from 'vitest';"],
  ['empty-name', 'src/api/utils.ts', 'export const one = 1;'],
  ['empty-name', 'src/api/date-helpers.ts', 'export const one = 1;'],
  ['empty-name', 'src/store/common/page.ts', 'export const one = 1;'],
  ['empty-name', 'src/api/credit.types.ts', 'export const one = 1;'],
  ['empty-name', 'test/api/vault-manager.ts', 'export const one = 1;'],

  ['dissolved-word', 'src/domain/ids.ts', 'export const standing = 1;'],
  ['dissolved-word', 'src/domain/ids.ts', 'export function placeOf(at: number) { return at; }'],
  ['dissolved-word', 'src/domain/ids.ts', 'export interface HashDossier { readonly at: number }'],
  ['dissolved-word', 'src/domain/ids.ts', 'export interface Run { readonly toldBy: string }'],
  ['dissolved-word', 'src/api/credits.ts', 'export const place = 1;'],
  ['dissolved-word', 'src/api/credits.ts', 'export const unsettledMovements = 1;'],
  ['dissolved-word', 'src/api/credits.ts', 'export interface WaitingLine { readonly at: number }'],
  ['dissolved-word', 'src/intake/queue.ts', 'export class Queue { #waiting = 1; }'],
  ['dissolved-word', 'src/reconcile/lookup/unsettled-movements.ts', 'export const one = 1;'],
  ['dissolved-word', 'test/domain/waiting-line.test.ts', 'export const one = 1;'],
  ['dissolved-word', 'test/domain/ids.test.ts', 'export const waiting = 1;'],
  [
    'dissolved-word',
    'src/domain/ids.ts',
    'export class Desk { #settle = 1; at() { return this.#settle; } }',
  ],

  ['dissolved-word', 'test/domain/ids.test.ts', 'export const placeOf = 1;'],
  ['dissolved-word', 'test/domain/told.test.ts', 'export const one = 1;'],
  ['dissolved-word', 'test/domain/ids.test.ts', "test('what was told', () => undefined);"],
  ['dissolved-word', 'test/domain/ids.test.ts', "test.for([1])('%s stands', () => undefined);"],
  ['dissolved-word', 'test/domain/ids.test.ts', 'describe(`a ${1} crowd`, () => undefined);'],
  ['dissolved-word', 'test/console/ids.test.ts', 'export const standings = 1;'],

  ['no-docstring', 'src/api/credits.ts', 'export function one() {}'],
  [
    'no-docstring',
    'src/api/credits.ts',
    '/** Another. */\nconst a = 1;\nexport async function b() {}',
  ],
  ['no-docstring', 'src/api/credits.ts', 'export const one = () => 1, two = 2;'],

  ['test-project', 'test/domain/ids.test.ts', value('node:http')],
];

test.for(FORBIDDEN)('%s trips over %s: %s', ([rule, path, text]) => {
  expect(rulesBrokenBy(path, text)).toContain(rule);
});

test('every rule has a planted violation that trips it', () => {
  const every = {
    'nothing-read': true, // Planted in a test of its own above.
    unreadable: true,
    'unknown-area': true,
    'computed-import': true,
    'dangling-import': true,
    arrow: true,
    package: true,
    'node-module': true,
    cycle: true,
    room: true,
    'ambient-clock': true,
    'ambient-randomness': true,
    'ambient-effect': true,
    environment: true,
    'inexact-number': true,
    barrel: true,
    'long-file': true, // And so are these two, in `shape.test.ts`.
    'full-folder': true,
    'empty-name': true,
    'test-project': true,
    'dissolved-word': true,
    'no-docstring': true,
  } satisfies Record<HouseRule, true>;
  const planted = new Set<string>([
    'nothing-read',
    'long-file',
    'full-folder',
    ...FORBIDDEN.map(([rule]) => rule),
  ]);
  expect(planted).toEqual(new Set(Object.keys(every)));
});

test('a word inside a longer one, a literal or a comment is not a dissolved word', () => {
  const text = "// standing\nexport const replacement = 'settled';\n";
  expect(rulesBrokenBy('src/domain/ids.ts', text)).toEqual([]);
});

test('a published state keeps its name, outside the domain', () => {
  expect(rulesBrokenBy('src/domain/ids.ts', 'export const settled = 1;')).toEqual([
    'dissolved-word',
  ]);
  expect(rulesBrokenBy('src/ops/metrics/metrics.ts', 'export const settled = 1;')).toEqual([]);
});

test('tests may name a state in back quotes, and what a person decides', () => {
  const text =
    "export const decide = ({ state }: Row) => state;\ntest('a deposit becomes `settled`', decide);\n";
  expect(rulesBrokenBy('test/domain/ids.test.ts', text)).toEqual([]);
});

test('a deposit may be waiting, and the API publishes how many facts are', () => {
  const text = 'export interface Reads { readonly waitingDepositCount: number }';
  expect(rulesBrokenBy('src/store/reads.ts', text)).toEqual([]);
  expect(rulesBrokenBy('test/nightly/waiting-deposits.test.ts', text)).toEqual([]);
  const queue = 'export interface Queue { readonly waiting: number }';
  expect(rulesBrokenBy('src/api/health.ts', queue)).toEqual([]);
  expect(
    rulesBrokenBy('test/domain/ids.test.ts', "test('goes on waiting', () => undefined);"),
  ).toEqual([]);
});

test('members of the sealed report keep their names', () => {
  const text = 'export interface Row { readonly untold?: true; readonly chainUntold: string }';
  expect(rulesBrokenBy('src/domain/close/fold.ts', text)).toEqual([]);
});

test('a cycle over several files and over types is named with the way around', () => {
  const house = [
    { path: 'src/domain/a.ts', text: value('./b.ts') },
    { path: 'src/domain/b.ts', text: types('./c.ts') },
    { path: 'src/domain/c.ts', text: value('./a.ts') },
    { path: 'src/domain/d.ts', text: value('./a.ts') },
  ];
  expect(houseViolations(house).map(spoken)).toEqual([
    'src/domain/a.ts:1 cycle: src/domain/a.ts → src/domain/b.ts → src/domain/c.ts → src/domain/a.ts',
  ]);
});

test('a violation names its file and line', () => {
  const text =
    "import { z } from 'zod';\n\n// A comment.\nimport { name } from '../ops/config.ts';\n";
  const [first] = houseViolations(
    houseWith('src/wire/page.ts', `${text}export const n = [z, name];`),
  );
  expect(first && spoken(first)).toBe(
    'src/wire/page.ts:4 arrow: wire must not import values of ops',
  );
});
