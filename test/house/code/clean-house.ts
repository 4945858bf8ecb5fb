import { houseViolations } from './house.ts';
import type { HouseRule } from './house.ts';
import type { Source } from '../source.ts';

/** One file in every room, each with something to import. */
const ROOMS = [
  'src/main.ts',
  'src/commands/serve.ts',
  'src/daemon/parts.ts',
  'src/wire/page.ts',
  'src/domain/amount.ts',
  'src/domain/money/entry.ts',
  'src/domain/deposit/deposit.ts',
  'src/domain/close/fold.ts',
  'src/reconcile/list/pages.ts',
  'src/reconcile/sweep/sweep.ts',
  'src/store/unit/unit-of-work.ts',
  'src/store/bookkeeping/bookkeeper.ts',
  'src/intake/decode.ts',
  'src/store/journal.ts',
  'src/store/sqlite/journal.ts',
  'src/store/postgres/journal.ts',
  'src/custody/client.ts',
  'src/reconcile/sweep.ts',
  'src/api/credits.ts',
  'src/report/statement.ts',
  'src/pages/parts/card.ts',
  'src/pages/live/stream.ts',
  'src/console/page.ts',
  'src/simulator/core.ts',
  'src/simulator/inspector/clock.ts',
  'src/ops/config.ts',
];

/** A clean house in memory, in which one file's text is replaced or one file added. */
export function houseWith(path: string, text: string): Source[] {
  const plain = ROOMS.filter((room) => room !== path);
  return [
    ...plain.map((room) => ({ path: room, text: 'export const name = 1;\n' })),
    { path, text },
  ];
}

/** The rules that a clean house breaks with this file in it. */
export function rulesBrokenBy(path: string, text: string): HouseRule[] {
  return houseViolations(houseWith(path, text)).map(({ rule }) => rule);
}
