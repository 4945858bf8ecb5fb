import { expect, test } from 'vitest';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import { BlockchainHash, NetworkKey, TransactionId, VaultId } from '../../../src/domain/ids.ts';
import type { FactOutcome } from '../../../src/store/port.ts';
import { balanceChange, sent } from '../../store/evidence.ts';
import { openLedger, type OpenLedger } from '../../store/open-ledger.ts';
import { AT_ADDRESS, change, Service } from '../../store/webhook.ts';
import { credit, saying, breakTexts, type Story } from './break-texts.ts';

const DENIED = { kind: 'unknown-transaction', transactionId: TransactionId('wd-tx') } as const;

function knows(open: OpenLedger, more: Partial<CustodyTransaction> = {}): Promise<FactOutcome> {
  return open.record({ kind: 'outgoing', transaction: sent(more), graceMs: 0 });
}

/** Events of own transactions, vaults and networks, and the breaks as a person reads them. */
const STORIES: Story[] = [
  [
    'mined twice, and otherwise',
    (open, service) =>
      open.deliver(service.outgoing('mined'), {
        ...service.outgoing('mined', saying(change('-31', AT_ADDRESS))),
        blockchainHash: '0xb2',
      }),
    [
      'warning ["amount_changed","wd-tx"] about v1 ethereum 0xa1 wd-tx',
      'transaction wd-tx was reported mined twice with different balance changes; the first stands',
    ],
  ],
  [
    'own after it was credited',
    async (open, service) => {
      await credit(open, service);
      await open.deliver(service.outgoing('mined', { vaultId: 'v2' }));
    },
    [
      'critical ["status_mismatch","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1',
      "credited as crd_1, but its hash belongs to own transaction wd-tx: an internal transfer, not a customer's deposit",
    ],
  ],
  [
    'ended at the API alone',
    (open) => knows(open),
    [
      'warning ["missing_notification","wd-tx"] about v1 ethereum 0xa1 wd-tx',
      'the custody API says mined and no mined notification arrived (last known: nothing)',
    ],
  ],
  [
    'ended at the API, on its way here',
    async (open, service) => {
      await open.deliver(service.outgoing('submitted'));
      await knows(open, { status: 'cancelled' });
    },
    [
      'warning ["missing_notification","wd-tx"] about v1 ethereum 0xa1 wd-tx',
      'the custody API says cancelled and no cancelled notification arrived (last known: submitted)',
    ],
  ],
  [
    'the same, told by then',
    async (open, service) => {
      await open.deliver(service.outgoing('submitted'));
      await knows(open);
      await open.deliver(service.outgoing('mined'));
      await knows(open);
    },
    [
      'warning ["missing_notification","wd-tx"] about v1 ethereum 0xa1 wd-tx',
      'healed: the custody API agrees now',
    ],
  ],
  [
    'ended here, on its way at the API',
    async (open, service) => {
      await open.deliver(service.outgoing('mined'));
      await knows(open, { status: 'submitted', changes: null });
    },
    [
      'warning ["status_mismatch","wd-tx","unended"] about v1 ethereum 0xa1 wd-tx',
      'the notifications say mined, and the custody API still says submitted',
    ],
  ],
  [
    'mined of another amount at the API',
    async (open, service) => {
      await open.deliver(service.outgoing('mined'));
      await knows(open, { changes: [balanceChange(-7n)], updatedAt: open.at });
    },
    [
      'critical ["amount_mismatch","wd-tx","corrected"] about v1 ethereum 0xa1 ethereum:ETH wd-tx -32 for -7',
      'the custody API says the transaction moved -7 ethereum:ETH, the notifications say -32; the books follow the custody API now: find out who sent the notifications',
    ],
  ],
  [
    'mined under another hash at the API',
    async (open, service) => {
      await open.deliver(service.outgoing('mined'));
      await knows(open, { blockchainHash: BlockchainHash('0xb2'), updatedAt: open.at });
    },
    [
      'critical ["status_mismatch","wd-tx","corrected"] about v1 ethereum 0xb2 wd-tx',
      'the custody API says mined as 0xb2, the notifications say as 0xa1; the books follow the custody API now: find out who sent the notifications',
    ],
  ],
  [
    'mined in another network at the API',
    async (open, service) => {
      await open.deliver(service.outgoing('mined'));
      await knows(open, { network: NetworkKey('polygon') });
    },
    [
      'critical ["status_mismatch","wd-tx","corrected"] about v1 polygon 0xa1 wd-tx',
      'the custody API has it in vault v1 on polygon, the notifications in vault v1 on ethereum; the books follow the custody API now: find out who sent the notifications',
    ],
  ],
  [
    'failed at the API, mined here',
    async (open, service) => {
      await open.deliver(service.outgoing('mined'));
      await knows(open, { status: 'failed', changes: null });
    },
    [
      'critical ["status_mismatch","wd-tx","corrected"] about v1 ethereum 0xa1 ethereum:ETH wd-tx -32 for 0',
      'the custody API says failed, the notifications say mined; the books follow the custody API now: find out who sent the notifications',
    ],
  ],
  [
    'an own transaction that the API does not know',
    async (open, service) => {
      await open.deliver(service.outgoing('mined'));
      await open.record(DENIED);
    },
    [
      'critical ["unknown_to_custody","wd-tx"] about v1 ethereum 0xa1 ethereum:ETH wd-tx -32 for 0',
      'notifications tell of own transaction wd-tx (mined), and the custody API does not know it: it may be forged, and what was posted for it is taken back',
    ],
  ],
  [
    'the same, of which only a request is known',
    async (open, service) => {
      await open.deliver(service.outgoing('requested'));
      await open.record(DENIED);
    },
    [
      'warning ["unknown_to_custody","wd-tx"] about v1 ethereum wd-tx',
      'notifications tell of own transaction wd-tx (requested), and the custody API does not know it: it may be forged, and what was posted for it is taken back',
    ],
  ],
  [
    'the same, with a deposit of its hash',
    async (open, service) => {
      await open.deliver(service.confirmed(6), service.outgoing('submitted'));
      await open.record(DENIED);
    },
    [
      'critical ["unknown_to_custody","wd-tx"] about v1 ethereum 0xa1 wd-tx',
      'notifications tell of own transaction wd-tx (submitted), and the custody API does not know it: it may be forged, and what was posted for it is taken back',
    ],
  ],
  [
    'a hash that only a webhook gave to an own transaction',
    async (open, service) => {
      await open.deliver(service.confirmed(6), service.outgoing('submitted'));
      await knows(open, { blockchainHash: BlockchainHash('0xb2'), updatedAt: open.at });
    },
    [
      'warning ["missing_notification","wd-tx"] about v1 ethereum 0xb2 wd-tx',
      'the custody API says mined and no mined notification arrived (last known: submitted)',
      'critical ["status_mismatch","wd-tx","ethereum","0xa1"] about v1 ethereum 0xa1 wd-tx',
      'a notification named 0xa1 as the hash of own transaction wd-tx, and the custody API does not: its deposits were held for internal and are judged anew',
    ],
  ],
  [
    'cancelled at the API, failed here',
    async (open, service) => {
      await open.deliver(service.outgoing('failed'));
      await knows(open, { status: 'cancelled', changes: null });
    },
    [
      'warning ["status_mismatch","wd-tx","corrected"] about v1 ethereum 0xa1 wd-tx',
      'the custody API says cancelled, the notifications say failed; the books follow the custody API now: find out who sent the notifications',
    ],
  ],
  [
    'mined twice, and as the first said by the API',
    async (open, service) => {
      const again = service.outgoing('mined', saying(change('-31', AT_ADDRESS)));
      await open.deliver(service.outgoing('mined'), { ...again, blockchainHash: '0xb2' });
      await knows(open);
    },
    [
      'warning ["amount_changed","wd-tx"] about v1 ethereum 0xa1 wd-tx',
      'healed: the custody API agrees now',
    ],
  ],
  [
    'one without a status that the API does not know',
    async (open, service) => {
      await open.deliver(service.outgoing('approved'));
      await open.record(DENIED);
    },
    [
      'warning ["unknown_to_custody","wd-tx"] about v1 ethereum wd-tx',
      'notifications tell of own transaction wd-tx (no status), and the custody API does not know it: it may be forged, and what was posted for it is taken back',
    ],
  ],
  [
    'one that named two hashes, with a deposit of the first',
    async (open, service) => {
      await open.deliver(service.confirmed(6), service.outgoing('submitted'));
      await open.deliver(service.outgoing('mined', { blockchainHash: '0xb2' }));
      await open.record(DENIED);
    },
    [
      'critical ["unknown_to_custody","wd-tx"] about v1 ethereum 0xb2 ethereum:ETH wd-tx -32 for 0',
      'notifications tell of own transaction wd-tx (mined), and the custody API does not know it: it may be forged, and what was posted for it is taken back',
      'critical ["unknown_to_custody","wd-tx","ethereum","0xa1"] about v1 ethereum 0xa1 wd-tx',
      'a notification named 0xa1 as the hash of own transaction wd-tx, and the custody API does not: its deposits were held for internal and are judged anew',
    ],
  ],
  [
    'no subscription',
    (open) =>
      open.record({
        kind: 'subscription',
        vaultId: VaultId('v1'),
        drift: 'there is no subscription',
      }),
    [
      'warning ["subscription_drift","v1"] about v1',
      'there is no subscription: mend it with `counterfoil subscribe`',
    ],
  ],
  [
    'no subscription, and then one',
    async (open) => {
      await open.record({ kind: 'subscription', vaultId: VaultId('v1'), drift: 'there is none' });
      await open.record({ kind: 'subscription', vaultId: VaultId('v1'), drift: null });
    },
    ['warning ["subscription_drift","v1"] about v1', 'healed: the subscription is as wanted'],
  ],
  [
    'a depth that no webhook shows',
    (open) =>
      open.record({
        kind: 'depths',
        network: NetworkKey('ethereum'),
        published: [1, 3],
        inUse: true,
      }),
    [
      'warning ["subscription_drift",null,"ethereum"] about ethereum',
      'the crediting policy wants a depth of 6 for ethereum, and the network publishes none beyond 3: no webhook will show it, each sweep reads it from the API instead; lower the depth, or let credits wait for the sweep',
    ],
  ],
  [
    'the same, published by then',
    async (open) => {
      await open.record({
        kind: 'depths',
        network: NetworkKey('ethereum'),
        published: [1, 3],
        inUse: true,
      });
      await open.record({
        kind: 'depths',
        network: NetworkKey('ethereum'),
        published: [6],
        inUse: true,
      });
    },
    [
      'warning ["subscription_drift",null,"ethereum"] about ethereum',
      'healed: webhooks can show every depth that the policy wants here',
    ],
  ],
];

test.for(STORIES)('%s', async ([, happens, is]) => {
  const open = await openLedger();
  await happens(open, new Service());
  expect(breakTexts(open)).toEqual(is);
});
