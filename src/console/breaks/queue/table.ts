import { differenceOf } from '../../../domain/break/break.ts';
import type { Amount } from '../../../domain/money/amount.ts';
import { sentenceText } from '../../../report/sentence.ts';
import type { Table, TableColumn } from '../../../report/tables/table.ts';
import type { ShownBreak } from '../../../store/answers.ts';
import { breakText } from '../../../domain/break/shown-text.ts';
import { isoTime } from '../../parts/value/moments.ts';

/** Most breaks of one file. */
export const TABLE_ROWS_MAX = 10_000;

/** Breaks with a row each. A figure without an asset is a count, and has no decimals. */
export function breaksTable(
  rows: readonly ShownBreak[],
  decimals: ReadonlyMap<string, number>,
): Table<ShownBreak> {
  const money = (
    name: string,
    figureOf: (one: ShownBreak) => Amount | null,
  ): TableColumn<ShownBreak> => ({
    name,
    money: (one) => {
      const amount = figureOf(one);
      const { asset } = one.subject;
      if (amount === null) return null;
      return { amount, decimals: asset === null ? 0 : (decimals.get(asset) ?? null) };
    },
  });
  return {
    name: 'Breaks',
    rows,
    columns: [
      { name: 'breakId', text: (one) => one.breakId },
      { name: 'type', text: (one) => one.type },
      { name: 'severity', text: (one) => one.severity },
      { name: 'state', text: (one) => one.state },
      { name: 'assignee', text: (one) => one.assignee },
      { name: 'asset', text: ({ subject }) => subject.asset },
      money('theirs', ({ expected }) => expected),
      money('ours', ({ actual }) => actual),
      money('difference', differenceOf),
      { name: 'detail', text: (one) => sentenceText(breakText(one), one.subject.asset, decimals) },
      { name: 'network', text: ({ subject }) => subject.network },
      { name: 'blockchainHash', text: ({ subject }) => subject.blockchainHash },
      { name: 'transactionId', text: ({ subject }) => subject.transactionId },
      { name: 'depositId', text: ({ subject }) => subject.depositId },
      { name: 'vaultId', text: ({ subject }) => subject.vaultId },
      { name: 'openedAt', text: (one) => isoTime(one.openedAt) },
      { name: 'updatedAt', text: (one) => isoTime(one.updatedAt) },
      { name: 'resolvedAt', text: (one) => isoTime(one.resolvedAt) },
      { name: 'resolvedBy', text: (one) => one.resolvedBy },
      { name: 'resolution', text: (one) => one.resolution },
    ],
  };
}
