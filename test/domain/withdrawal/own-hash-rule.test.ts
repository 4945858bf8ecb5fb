import { describe, expect, test } from 'vitest';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import {
  EMPTY_HASH_STATE,
  NO_CHANGES,
  type KeyedHashState,
} from '../../../src/domain/hash/hash-state.ts';
import { DepositId, TransactionId, VaultId } from '../../../src/domain/ids.ts';
import { handleDisownedHash } from '../../../src/domain/withdrawal/own-hash-handler.ts';
import type { OwnHash, OwnHashCertainty } from '../../../src/domain/withdrawal/own-hash.ts';
import type { CustodyKnowledge, Withdrawal } from '../../../src/domain/withdrawal/withdrawal.ts';
import { ruleContext, DUE, withdrawal } from '../records.ts';

const { network, blockchainHash } = DUE;
/** The grace period of 50 ends now, at 99: the custody API confirmed the deposit at 49. */
const GRACE_MS = 50;
const HELD: Deposit = { ...DUE, ownTransfer: true, state: 'internal', verifiedAt: 49 };
/** Of the same hash in another vault; the API has not confirmed it yet. */
const SECOND: Deposit = {
  ...HELD,
  depositId: DepositId('dep_2'),
  vaultId: VaultId('v2'),
  transactionId: TransactionId('dep-tx-2'),
  verifiedAt: null,
};

function claim(id: string, certainty: OwnHashCertainty = 'claimed'): OwnHash {
  return { network, blockchainHash, transactionId: TransactionId(id), certainty };
}

/** The API shows `dep-tx` under the hash, and no outgoing transaction. */
function disown(
  hash: Partial<KeyedHashState>,
  knowledge: Readonly<Record<string, CustodyKnowledge>> = {},
) {
  const withdrawalOf = (transactionId: TransactionId): Withdrawal => ({
    ...withdrawal('submitted', []),
    transactionId,
    custody: knowledge[transactionId] ?? 'unasked',
  });
  return handleDisownedHash(
    { ...EMPTY_HASH_STATE, network, blockchainHash, ...hash },
    {
      incoming: [TransactionId('dep-tx')],
      withdrawalOf,
      graceMs: GRACE_MS,
      now: ruleContext({ source: 'api' }),
    },
  );
}

/** `transaction certainty` of each changed claim. */
function certainties({ ownHashes }: ReturnType<typeof disown>): string[] {
  return ownHashes.map(({ transactionId, certainty }) => `${transactionId} ${certainty}`);
}

function states({ deposits }: ReturnType<typeof disown>): string[] {
  return deposits.map(({ depositId, state }) => `${depositId} ${state}`);
}

describe('a hash that the custody API knows no own transaction under', () => {
  test('opens one critical break, named by the hash, with the number of claims', () => {
    const { found } = disown({ ownHashes: [claim('wd-1'), claim('wd-2')], deposits: [HELD] });
    expect(found).toEqual([
      {
        type: 'status_mismatch',
        key: '["status_mismatch","ethereum","0xa1","disowned"]',
        severity: 'critical',
        subject: {
          vaultId: 'v1',
          asset: null,
          depositId: null,
          network: 'ethereum',
          blockchainHash: '0xa1',
          transactionId: null,
        },
        expected: null,
        actual: null,
        detail:
          'notifications named 0xa1 as the hash of 2 own transactions, and the custody API knows none under it: its deposits were held for internal and are judged anew',
      },
    ]);
  });

  test('releases its deposits in every vault once the API has known one of them long enough', () => {
    const changes = disown({ ownHashes: [claim('wd-1')], deposits: [HELD, SECOND] });
    expect(states(changes)).toEqual(['dep_1 verifying', 'dep_2 verifying']);
    expect(changes.found).toHaveLength(1);
  });

  test.for<[why: string, deposit: Partial<Deposit>]>([
    ['within the grace period', { verifiedAt: 50 }],
    ['before the API has confirmed the deposit', { verifiedAt: null }],
    ['where the deposit names no transaction', { transactionId: null }],
    ['where the API shows other transactions', { transactionId: TransactionId('dep-tx-9') }],
  ])('keeps its deposits held %s', ([, more]) => {
    const changes = disown({ ownHashes: [claim('wd-1')], deposits: [{ ...HELD, ...more }] });
    expect(changes).toBe(NO_CHANGES);
  });

  test('keeps a claim that was refuted before as it is, and releases its deposits', () => {
    const ownHashes = [claim('wd-1', 'refuted'), claim('wd-2')];
    const changes = disown({ ownHashes, deposits: [HELD] }, { 'wd-1': 'known' });
    expect(certainties(changes)).toEqual(['wd-2 disowned']);
    expect(states(changes)).toEqual(['dep_1 verifying']);
  });

  test('keeps its deposits held while the API may still name it for a transaction that it showed', () => {
    const ownHashes = [claim('wd-1'), claim('wd-2')];
    const changes = disown({ ownHashes, deposits: [HELD] }, { 'wd-1': 'doubted' });
    expect(certainties(changes)).toEqual(['wd-2 disowned']);
    expect([changes.deposits, changes.found]).toEqual([[], []]);
  });

  test('opens no break where nobody claimed it', () => {
    const customer: Deposit = { ...HELD, ownTransfer: false, state: 'verifying' };
    expect(disown({ deposits: [customer] })).toEqual(NO_CHANGES);
  });
});
