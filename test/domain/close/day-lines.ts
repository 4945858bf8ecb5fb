import { Amount } from '../../../src/domain/money/amount.ts';
import { AssetId, BlockchainHash, NetworkKey, VaultId } from '../../../src/domain/ids.ts';
import {
  CATEGORIES,
  type Effects,
  type PositionLine,
} from '../../../src/domain/money/roll-forward.ts';
import { ETH } from '../../store/webhook.ts';

/** The cut-off of the day that these tests close; the day before ended 24 hours earlier. */
export const CUT_OFF = Date.UTC(2026, 2, 2);
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const HASH_KEY = { network: NetworkKey('ethereum'), blockchainHash: BlockchainHash('0xa1') };

/** A line of the books: received at v1 at noon of the day. */
export function line(amount: bigint, more: Partial<PositionLine> = {}): PositionLine {
  return {
    entryId: 1,
    seq: 20,
    view: 'books',
    cause: 'incoming',
    reverses: null,
    transactionId: null,
    postedAt: CUT_OFF - 12 * HOUR_MS,
    vaultId: VaultId('v1'),
    asset: AssetId(ETH),
    change: 'transfer',
    amount: Amount(amount),
    ...more,
  };
}

/** What moved, in words: `deposits 5, fees -2`. */
export function moved(effects: Effects): string {
  return CATEGORIES.filter((category) => effects[category] !== 0n)
    .map((category) => `${category} ${effects[category]}`)
    .join(', ');
}
