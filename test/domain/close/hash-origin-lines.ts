import type { HashOrigin, PositionLine } from '../../../src/domain/money/roll-forward.ts';
import { line } from './day-lines.ts';
import { V2 } from './inputs.ts';

/** A debit of v1, and by default receipts at v2. */
export const debit = (amount: bigint, more: Partial<PositionLine> = {}) =>
  line(amount, { entryId: 5, cause: 'mined', ...more });
export const receipt = (amount: bigint, more: Partial<PositionLine> = {}) =>
  line(amount, { entryId: 6, vaultId: V2.vaultId, ...more });
export const takenBack = debit(30n, { entryId: 8, reverses: 5 });

/** `own, awaits change 9 ethereum:ETH from v1`. */
export function text({ own, awaited }: HashOrigin): string {
  const credits = awaited.map(({ kind, from, asset, amount }) => {
    const credit = `awaits ${kind} ${amount} ${asset}`;
    return from === undefined ? credit : `${credit} from ${from}`;
  });
  return [own ? 'own' : 'not own', ...credits].join(', ');
}
