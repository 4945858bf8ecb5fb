import { VaultId } from '../../../src/domain/ids.ts';
import type { PositionLine } from '../../../src/domain/money/roll-forward.ts';
import { line } from '../close/day-lines.ts';

/** A line of a hash in the books. */
export type Row = [
  cause: PositionLine['cause'],
  vault: string,
  amount: bigint,
  change?: PositionLine['change'],
];

export function linesOf(rows: readonly Row[]): PositionLine[] {
  return rows.map(([cause, vault, amount, change = 'transfer']) =>
    line(amount, { cause, vaultId: VaultId(vault), change }),
  );
}
