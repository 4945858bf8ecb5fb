import { describe, expect, test } from 'vitest';
import type { AddressEvidence } from '../../../src/domain/chain/address-evidence.ts';
import { handleAddressRecord } from '../../../src/domain/chain/address-handler.ts';
import {
  EMPTY_HASH_STATE,
  type RuleContext,
  type HashState,
} from '../../../src/domain/hash/hash-state.ts';
import { AssetId, IdMint } from '../../../src/domain/ids.ts';
import {
  blockchainHash,
  elsewhere,
  GRACE_MS,
  moves,
  network,
  NOW,
  OLD,
  other,
  sighted,
  takenIn,
  reported,
  vaultId,
} from './address-list.ts';
import { runs } from '../hash/event-runs.ts';
import { withdrawal } from '../records.ts';

const RULE_CONTEXT = {
  at: NOW,
  source: 'api',
  policy: { default: { confirmations: 6 }, networks: {}, assets: {} },
  pinnedDecimals: () => undefined,
} as const;

function decide(ours: HashState, more: Partial<AddressEvidence> = {}) {
  const evidence = { movement: OLD, platform: 'unasked', noticedAt: 0, graceMs: GRACE_MS } as const;
  // The third fact of a ledger in which entries 1 and 2 stand.
  const now: RuleContext = { ...RULE_CONTEXT, mint: new IdMint(3, (text) => `<${text}>`) };
  return handleAddressRecord(ours, { ...evidence, ...more }, now);
}

/** What is posted to which view, what is found, and how many breaks may be healed. */
function words({ entries, found, healed }: ReturnType<typeof decide>): string[] {
  return [
    ...entries.map(({ view, source, reverses, postings }) => {
      const amounts = postings
        .filter(({ account }) => account.kind === 'position')
        .map(({ account, amount }) => `${account.addressId} ${amount}`);
      return `${view} by ${source}${reverses === null ? '' : ` reverses ${reverses}`}: ${amounts.join(', ')}`;
    }),
    ...found.map(({ type, expected }) => `found ${type} ${expected}`),
    ...healed.map(({ key, reason }) => `healed ${key}: ${reason}`),
  ];
}

const AGREES = [
  'healed ["status_mismatch","address","v1","ethereum","0x1","a1",null]: the custody API agrees now',
  'healed ["amount_mismatch","address","v1","ethereum","0x1","a1","ethereum:ETH"]: the custody API agrees now',
];
const GONE = { ...OLD, status: 'rolledback', changes: null };

const RECORDS: [why: string, ours: HashState, more: Partial<AddressEvidence>, does: string[]][] = [
  ['told alike', sighted('blockchain', { ...reported, posted: [moves(-107n)] }), {}, AGREES],
  [
    'told with another amount',
    sighted('blockchain', { ...reported, posted: [moves(-106n)] }),
    {},
    ['found amount_mismatch -107'],
  ],
  ['told by nobody, and not asked about', EMPTY_HASH_STATE, {}, []],
  ['changes omitted', EMPTY_HASH_STATE, { movement: { ...OLD, changes: null } }, []],
  [
    'told by nobody, and no platform transaction',
    EMPTY_HASH_STATE,
    { platform: 'unknown' },
    ['chain by api: a1 -100, a1 -7', 'found unexplained_movement -107'],
  ],
  [
    'the same, of several assets: each is unexplained',
    EMPTY_HASH_STATE,
    {
      platform: 'unknown',
      movement: { ...OLD, changes: [moves(-100n), { ...moves(5n), asset: AssetId('X') }] },
    },
    [
      'chain by api: a1 -100, a1 5',
      'found unexplained_movement -100',
      'found unexplained_movement 5',
    ],
  ],
  [
    'told by nobody, and the books know it',
    sighted('incoming', { entryId: 2 }),
    {},
    ['chain by api: a1 -100, a1 -7', ...AGREES],
  ],
  [
    'the same, though no platform transaction has it',
    sighted('incoming', { entryId: 2 }),
    { platform: 'unknown' },
    ['chain by api: a1 -100, a1 -7', ...AGREES],
  ],
  [
    'another address of it was taken in: both are in the chain view',
    sighted('blockchain', { ...takenIn, posted: [elsewhere] }),
    { platform: 'unknown' },
    [
      'chain by api reverses 1: a2 900',
      'chain by api: a2 -900, a1 -100, a1 -7',
      'found unexplained_movement -1007',
    ],
  ],
  [
    'a failed transaction of ours: the books take the fee that it burned from the list',
    {
      ...EMPTY_HASH_STATE,
      withdrawals: [{ ...withdrawal('failed', []), vaultId, network, blockchainHash }],
    },
    { movement: { ...OLD, changes: [moves(-7n, 'fee')] } },
    ['chain by api: a1 -7', 'books by api: a1 -7', ...AGREES],
  ],
  [
    'what was taken in left the chain',
    sighted('blockchain', { ...takenIn, posted: [moves(-107n)] }),
    { movement: GONE },
    ['chain by api reverses 1: a1 107', AGREES[0] ?? ''],
  ],
  [
    'a rollback of what was notified never came',
    sighted('blockchain', { ...reported, posted: [moves(-107n)] }),
    { movement: GONE },
    ['found status_mismatch null'],
  ],
  [
    'a rollback that may still come',
    sighted('blockchain', { ...reported, posted: [moves(-107n)] }),
    { movement: GONE, noticedAt: NOW },
    [],
  ],
];

describe('an address’s own list', () => {
  test.for(RECORDS)('%s', ([, ours, more, does]) => {
    expect(words(decide(ours, more))).toEqual(does);
  });

  test('in the chain view comes from the API, in its vault alone', () => {
    const { sightings } = decide(sighted('incoming', { entryId: 2 }));
    expect(sightings).toMatchObject([
      { stream: 'blockchain', vaultId, seen: runs('api/transaction::'), posted: OLD.changes },
    ]);
    const posted = decide(sighted('blockchain', { ...reported, vaultId: other }), {
      platform: 'unknown',
    });
    expect(posted.sightings).toMatchObject([{ vaultId, entryId: 3_000_000 }]);
    expect(posted.entries).toMatchObject([{ transactionId: null, blockchainHash: '0x1' }]);
  });

  test('reversed leaves no active entry', () => {
    const ours = sighted('blockchain', { ...takenIn, posted: [moves(-107n)] });
    expect(decide(ours, { movement: GONE }).sightings).toMatchObject([
      { entryId: null, posted: [], epoch: 1 },
    ]);
  });
});
