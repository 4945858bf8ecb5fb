import { expect, test } from 'vitest';
import { received } from '../../../store/evidence.ts';
import { openLedger, type OpenLedger } from '../../../store/open-ledger.ts';
import { change, Service, type WebhookBody } from '../../../store/webhook.ts';

const POSITION = 'v1/acc-1/adr-1 ethereum:ETH';

/** A forged confirmation: deeper than any true one, and without the deposit's transfer. */
function feeAlone(service: Service, confirmations: number, more: object = {}): WebhookBody {
  const balanceChanges = [change('-1', { tags: ['fee'] })];
  return service.confirmed(confirmations, { balanceChanges, ...more });
}

/** What a later, less deep confirmation of 100 units finds. */
const BEFORE: [when: string, bodies: (service: Service) => WebhookBody[]][] = [
  ['no deposit', () => []],
  ['a deposit in the mempool', (service) => [service.incoming('mempool')]],
  ['a rolled-back deposit', (service) => [service.confirmed(1), service.incoming('rollback')]],
  ['a booked deposit', (service) => [service.confirmed(1)]],
  [
    'a deposit that an earlier confirmation emptied',
    (service) => [service.confirmed(1), feeAlone(service, 2, { transactionId: 'other' })],
  ],
];

/** The ledger when the true confirmations have arrived after the forged one. */
async function confirmedLate(before: (service: Service) => WebhookBody[]): Promise<OpenLedger> {
  const open = await openLedger();
  const service = new Service();
  await open.deliver(...before(service), feeAlone(service, 99));
  await open.deliver(service.confirmed(3), service.confirmed(6));
  return open;
}

/** The custody API's record of the true deposit, until it may correct ours. */
async function correct(open: OpenLedger): Promise<void> {
  const depositId = open.depositId();
  const record = { kind: 'deposit', depositId, graceMs: 0, corrects: true } as const;
  await open.record({ ...record, transaction: received() });
  await open.record({ ...record, transaction: received() });
}

test.for(BEFORE)(
  'an asset that a deeper confirmation omits has the amount of the books: %s',
  async ([, before]) => {
    const open = await confirmedLate(before);
    expect(open.deposit().amount).toBe('0');
    expect(open.positions()).toEqual({ [POSITION]: '-1' });
    expect(open.openBreaks()).toEqual(['amount_changed']);
  },
);

test.for(BEFORE)(
  'the custody API brings an omitted asset into the books and the feed together: %s',
  async ([, before]) => {
    const open = await confirmedLate(before);
    await correct(open);
    expect(open.feedLines()).toEqual(['credit 100']);
    expect(open.positions()).toEqual({ [POSITION]: '100' });
  },
);
