import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import {
  AssetId,
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../src/domain/ids.ts';
import type { CustodyEffectRow } from '../../../src/store/records.ts';
import type { RecordSource } from '../../../src/store/port.ts';
import { compareProjections } from '../../../src/store/sqlite/audit/projections.ts';
import { UnitOfWork } from '../../../src/store/unit/unit-of-work.ts';
import { factOf, openLedger, START } from '../open-ledger.ts';
import { AT_ADDRESS, change, decimals, Service } from '../webhook.ts';

/** Facts that touch the same records; whatever shares a commit, the tables must be the same. */
const STORIES: [story: string, bodies: (service: Service) => (object | string)[]][] = [
  [
    'a movement changes its agreement',
    (service) => [service.confirmed(1), service.chain('transaction')],
  ],
  [
    'a deposit climbs, falls and climbs again',
    (service) => [
      service.confirmed(1),
      service.confirmed(6),
      service.incoming('rollback'),
      service.confirmed(1),
    ],
  ],
  [
    'a transaction gets another hash, and the old one is told of again',
    (service) => [
      service.outgoing('submitted', { blockchainHash: '0xold' }),
      service.outgoing('mined'),
      service.confirmed(1, { blockchainHash: '0xold' }),
    ],
  ],
  [
    'a fee is burned before the failure is told, and given back',
    (service) => [
      service.chain('transaction', {
        balanceChanges: [change('-2', { ...AT_ADDRESS, tags: ['fee'] })],
      }),
      service.outgoing('failed'),
      service.chain('rollback'),
    ],
  ],
  [
    'an own transfer is claimed across vaults',
    (service) => [
      service.confirmed(1),
      service.outgoing('mined', { vaultId: 'v2' }),
      service.confirmed(3),
    ],
  ],
  [
    'a break opens, heals and opens again',
    (service) => [
      service.confirmed(1, { memo: 'bob' }),
      service.incoming('rollback', { memo: 'bob' }),
      service.confirmed(1, { memo: 'bob' }),
      service.incoming('rollback', { memo: 'bob' }),
    ],
  ],
  [
    'decimals are pinned and contradicted',
    (service) => [
      service.confirmed(1, { balanceChanges: [change('1', decimals(18))] }),
      service.confirmed(1, { addressId: 'adr-2', balanceChanges: [change('1', decimals(6))] }),
    ],
  ],
  [
    'an id conflicts, twice alike and once otherwise',
    (service) => {
      const first = service.confirmed(1);
      const other = { ...first, confirmations: 2 };
      return [first, other, other, { ...first, confirmations: 3 }, first];
    },
  ],
  [
    'bodies are quarantined, refused and repeated',
    () => ['{"id":"q"}', '{"id":"q"}', '{"id":"q","a":1}', 'nonsense', 'nonsense', '\u0000'],
  ],
];

/** Every way to cut a list into consecutive batches. */
function batchings<Item>(items: readonly Item[]): Item[][][] {
  const [first, ...rest] = items;
  if (first === undefined) return [[]];
  return batchings(rest).flatMap((batches) => {
    const [head, ...tail] = batches;
    const apart = [[first], ...batches];
    return head === undefined ? [apart] : [apart, [[first, ...head], ...tail]];
  });
}

test.for(STORIES)('%s: the same tables for any cut into commits', async ([_, bodiesOf]) => {
  const facts = bodiesOf(new Service()).map((body, at) => factOf(body, START + 60_000 + at));
  const alone = await openLedger();
  for (const fact of facts) await alone.commit([fact]);
  for (const batches of batchings(facts)) {
    const together = await openLedger();
    for (const batch of batches) await together.commit(batch);
    expect({
      batches: batches.map((batch) => batch.length),
      problems: compareProjections(alone.db, together.db).problems,
    }).toMatchObject({ problems: [] });
  }
});

test('a decision and a record in one commit see what the facts before them did', async () => {
  const open = await openLedger();
  const service = new Service();
  const at = START + 60_000;
  await open.commit([
    factOf(service.chain('transaction'), at),
    {
      kind: 'custody-record',
      at,
      record: {
        kind: 'run',
        startedAt: at,
        graceMs: 0,
        custody: { matched: 1, broken: 0, exempt: {}, skipped: { api_unavailable: 2 } },
        requests: 3,
        watermark: null,
        incomplete: 'api_unavailable',
      },
    },
    factOf(service.confirmed(1), at),
  ]);
  expect(open.openBreaks()).toEqual(['unexplained_movement']);
  expect(open.rows('SELECT matched, broken, skipped, incomplete FROM reconciliations')).toEqual([
    { matched: 1, broken: 1, skipped: '{"api_unavailable":2}', incomplete: 'api_unavailable' },
  ]);
});

test('a close takes over as many effects as the custody API has transactions', () => {
  // Nothing is read for it.
  const set = new UnitOfWork({} as RecordSource, 0);
  const row: CustodyEffectRow = {
    transactionId: TransactionId('tx-1'),
    vaultId: VaultId('v1'),
    network: NetworkKey('ethereum'),
    blockchainHash: BlockchainHash('0x1'),
    asset: AssetId('ethereum:ETH'),
    kind: 'incoming',
    at: null,
    datedBy: null,
    amount: Amount(1n),
  };
  set.putCustodyEffects(Array.from({ length: 1_000_000 }, () => row));
  expect(set.takeWrites().custodyEffects).toHaveLength(1_000_000);
});
