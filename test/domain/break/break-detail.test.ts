import { expect, test } from 'vitest';
import type { FactOutcome } from '../../../src/store/port.ts';
import { AddressId } from '../../../src/domain/ids.ts';
import { balanceChange, received, verifyWith } from '../../store/evidence.ts';
import { openLedger, type OpenLedger } from '../../store/open-ledger.ts';
import { AT_ADDRESS, change, Service } from '../../store/webhook.ts';
import { credit, saying, breakTexts, type Story } from './break-texts.ts';

const OTHER = saying(change('90'));
const MINT = (amount: string) => saying(change('100'), change(amount, { tags: ['mint'] }));
const GONE = { status: 'rolledback', confirmations: 0 };

function unseen(open: OpenLedger): Promise<FactOutcome> {
  return open.record({ kind: 'unseen', transaction: received(), graceMs: 0 });
}

/** Events of deposits and of the chain view, and the breaks as a person reads them. */
const STORIES: Story[] = [
  [
    'a confirmation of another amount',
    (open, service) => open.deliver(service.confirmed(1), service.confirmed(3, OTHER)),
    [
      'warning ["amount_changed","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 90',
      'confirmation 3 states 90 ethereum:ETH where 100 was booked',
    ],
  ],
  [
    'the same, after the credit',
    async (open, service) => {
      await credit(open, service);
      await open.deliver(service.confirmed(7, OTHER));
    },
    [
      'critical ["amount_changed","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 90',
      'confirmation 7 states 90 ethereum:ETH where 100 was booked, after the deposit was credited',
    ],
  ],
  [
    'a repeat of another amount',
    (open, service) =>
      open.deliver(service.confirmed(1), { ...service.confirmed(1, OTHER), id: 'n2' }),
    [
      'warning ["amount_changed","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 90',
      'a repeat under another id (n2) states 90 ethereum:ETH where 100 was booked',
    ],
  ],
  [
    'a repeat of another asset',
    (open, service) =>
      open.deliver(service.confirmed(1), {
        ...service.confirmed(1, saying(change('7', { asset: 'ethereum:USDC' }))),
        id: 'n2',
      }),
    [
      'warning ["amount_changed","n2"] about v1 ethereum 0xa1 ethereum:USDC dep-tx 0 for 7',
      'notification n2 repeats a known event but states 7 ethereum:USDC, which the first did not',
    ],
  ],
  [
    'a confirmation that leaves the asset out',
    (open, service) =>
      open.deliver(
        service.confirmed(1),
        service.confirmed(3, saying(change('1', { tags: ['mint'] }))),
      ),
    [
      'warning ["amount_changed","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 0',
      'confirmation 3 states 0 ethereum:ETH where 100 was booked',
    ],
  ],
  [
    'another mint beside the same amount',
    (open, service) =>
      open.deliver(service.confirmed(1, MINT('5')), service.confirmed(3, MINT('4'))),
    [
      'warning ["amount_changed","v1","ethereum","0xa1","acc-1","adr-1",null] about v1 ethereum 0xa1 dep-tx',
      'fee, rebate or mint entries of 0xa1 were told again with other amounts; the newest confirmation stands',
    ],
  ],
  [
    'a rollback after the credit',
    async (open, service) => {
      await credit(open, service);
      await open.deliver(service.incoming('rollback'));
    },
    [
      'critical ["reversal_after_credit","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 0',
      "100 ethereum:ETH was credited (crd_1) and its transaction has been rolled back: when the custody API agrees, the feed reverses the credit; recover it from the customer's balance then",
    ],
  ],
  [
    'the same, and mined again',
    async (open, service) => {
      await credit(open, service);
      await open.deliver(service.incoming('rollback'), service.confirmed(6));
      await verifyWith(open);
    },
    [
      'critical ["reversal_after_credit","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 0',
      'healed: mined again, and the custody API confirms it: the credit stands',
    ],
  ],
  [
    'an amount that the API confirms',
    async (open, service) => {
      await open.deliver(service.confirmed(1), service.confirmed(6, OTHER));
      await verifyWith(open, { changes: [balanceChange(90n)] });
    },
    [
      'warning ["amount_changed","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 90',
      'healed: the custody API confirms the amount that stands',
    ],
  ],
  [
    'an amount that the API contradicts',
    async (open, service) => {
      await open.deliver(service.confirmed(6));
      await verifyWith(open, { changes: [balanceChange(99n)] });
    },
    [
      'critical ["amount_mismatch","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 99',
      'the custody API says 99 ethereum:ETH, the notifications say 100',
    ],
  ],
  [
    'an asset that the API does not show',
    async (open, service) => {
      await open.deliver(service.confirmed(6));
      await verifyWith(open, { changes: [] });
    },
    [
      'critical ["unknown_to_custody","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 0',
      'the custody API shows no ethereum:ETH at this position: do not credit it, it may be forged',
    ],
  ],
  [
    'a 404',
    async (open, service) => {
      await open.deliver(service.confirmed(6));
      await verifyWith(open, null);
    },
    [
      'critical ["unknown_to_custody","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 0',
      'the custody API does not know this transaction: do not credit it, it may be forged',
    ],
  ],
  [
    'a 404 that was none',
    async (open, service) => {
      await open.deliver(service.confirmed(6));
      await verifyWith(open, null);
      await verifyWith(open);
    },
    [
      'critical ["unknown_to_custody","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 0',
      'healed: the custody API agrees now',
    ],
  ],
  [
    'another position at the API',
    async (open, service) => {
      await open.deliver(service.confirmed(6));
      await verifyWith(open, { addressId: AddressId('adr-2') });
    },
    [
      'critical ["unknown_to_custody","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 0',
      'the custody API knows this transaction under another id or position: do not credit it, it may be forged',
    ],
  ],
  [
    'rolled back at the API',
    async (open, service) => {
      await open.deliver(service.confirmed(6));
      await verifyWith(open, GONE);
    },
    [
      'warning ["status_mismatch","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1',
      'the custody API says rolledback, the notifications say confirmed',
    ],
  ],
  [
    'confirmed at the API, rolled back here, and credited',
    async (open, service) => {
      await credit(open, service);
      await open.deliver(service.incoming('rollback'));
      await verifyWith(open);
    },
    [
      'critical ["reversal_after_credit","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1 100 for 0',
      "100 ethereum:ETH was credited (crd_1) and its transaction has been rolled back: when the custody API agrees, the feed reverses the credit; recover it from the customer's balance then",
      'critical ["status_mismatch","dep_1"] about v1 ethereum 0xa1 ethereum:ETH dep-tx dep_1',
      'the custody API says confirmed, the notifications say rolled back',
    ],
  ],
  [
    'confirmed at the API, in the mempool here',
    async (open, service) => {
      await open.deliver(service.incoming('mempool'));
      await verifyWith(open);
    },
    [
      'warning ["missing_notification","dep-tx"] about v1 ethereum 0xa1 dep-tx',
      'the custody API says confirmed, and no confirmation arrived after the mempool',
    ],
  ],
  [
    'an incoming that nobody told',
    (open) => unseen(open),
    [
      'warning ["missing_notification","dep-tx"] about v1 ethereum 0xa1 ethereum:ETH dep-tx 0 for 100',
      'the custody API shows a confirmed incoming of 100 ethereum:ETH that no notification told of',
    ],
  ],
  [
    'the same, told by then',
    async (open, service) => {
      await unseen(open);
      await open.deliver(service.confirmed(1));
      await unseen(open);
    },
    [
      'warning ["missing_notification","dep-tx"] about v1 ethereum 0xa1 ethereum:ETH dep-tx 0 for 100',
      'healed: the custody API agrees now',
    ],
  ],
  [
    'the same, told by the time of the run',
    async (open, service) => {
      await unseen(open);
      await open.deliver(service.confirmed(1));
      await open.run();
    },
    [
      'warning ["missing_notification","dep-tx"] about v1 ethereum 0xa1 ethereum:ETH dep-tx 0 for 100',
      'healed: the notification arrived',
    ],
  ],
  [
    'a chain view of another amount',
    async (open, service) => {
      await open.deliver(service.confirmed(1, OTHER), service.chain('transaction'));
      await open.run();
    },
    [
      'warning ["conservation","v1","ethereum","0xa1","ethereum:ETH"] about v1 ethereum 0xa1 ethereum:ETH 90 for 100',
      'the books moved 90 ethereum:ETH where the chain moved 100',
    ],
  ],
  [
    'the same, agreeing by the next run',
    async (open, service) => {
      await open.deliver(
        service.confirmed(1),
        service.chain('transaction', saying(change('90', AT_ADDRESS))),
      );
      await open.run();
      await open.deliver(service.chain('rollback'), service.chain('transaction'));
      await open.run();
    },
    [
      'warning ["conservation","v1","ethereum","0xa1","ethereum:ETH"] about v1 ethereum 0xa1 ethereum:ETH 100 for 90',
      'healed: books and chain view agree now',
    ],
  ],
  [
    'a debit that nobody ordered',
    async (open, service) => {
      await open.deliver(service.chain('transaction', saying(change('-70', AT_ADDRESS))));
      await open.run();
    },
    [
      'critical ["unexplained_movement","v1","ethereum","0xa1","ethereum:ETH"] about v1 ethereum 0xa1 ethereum:ETH 0 for -70',
      'the chain moved -70 ethereum:ETH and no platform transaction explains it',
    ],
  ],
  [
    'a chain view told anew otherwise',
    (open, service) =>
      open.deliver(
        service.chain('transaction'),
        service.chain('transaction', { confirmations: 3, ...saying(change('90', AT_ADDRESS)) }),
      ),
    [
      'warning ["amount_changed","v1","ethereum","0xa1"] about v1 ethereum 0xa1',
      'the chain view of 0xa1 was told again with other balance changes; the newest stands',
    ],
  ],
  [
    'a repeated chain event with other changes',
    async (open, service) => {
      const repeat = { id: 'n2', ...saying(change('90', AT_ADDRESS)) };
      await open.deliver(service.chain('transaction'), service.chain('transaction', repeat));
      expect(Object.values(open.positions('chain'))).toEqual(['100']);
    },
    [
      'warning ["amount_changed","v1","ethereum","0xa1"] about v1 ethereum 0xa1',
      'notification n2 repeats a known event of the chain view of 0xa1 with other balance changes; the chain view does not change',
    ],
  ],
];

test.for(STORIES)('%s', async ([, happens, is]) => {
  const open = await openLedger();
  await happens(open, new Service());
  expect(breakTexts(open)).toEqual(is);
});
