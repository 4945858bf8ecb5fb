import fc from 'fast-check';
import { expect, test } from 'vitest';
import { effectOf } from '../../../src/domain/close/counted-effect.ts';
import type { CustodyReading } from '../../../src/domain/close/record.ts';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import { AssetId, BlockchainHash, TransactionId, VaultId } from '../../../src/domain/ids.ts';
import { closeOf, closesOf, dayNumber, lastReport, unsoundCloses } from './closing.ts';
import { balanceChange, received, sent } from '../evidence.ts';
import { openLedger, START, type OpenLedger } from '../open-ledger.ts';
import { AT_ADDRESS, change, ETH, HASH, Service, type WebhookBody } from '../webhook.ts';

const [PAID, MOVED, SENT, PAID_LATE, BURNED] = [HASH, '0xb2', '0xc3', '0xd4', '0xe5'];
const STEP_MS = 100_000;

/** The custody API's transactions, which the steps of a story add. */
class Custody {
  readonly #records: CustodyTransaction[] = [];

  add(record: CustodyTransaction): CustodyTransaction {
    this.#records.push(record);
    return record;
  }

  reading(readAt: number): CustodyReading {
    const counted = this.#records.map(effectOf).filter((one) => one !== 'pending');
    return {
      kind: 'read',
      readAt,
      requests: 1,
      watermark: readAt,
      transactions: counted.length,
      unreadable: 0,
      counted,
      pending: [],
    };
  }
}

type Step = (open: OpenLedger) => Promise<unknown>;

function webhooks(...bodies: WebhookBody[]): Step {
  return (open) => open.deliver(...bodies);
}

function own(custody: Custody, id: string, more: Partial<CustodyTransaction>): Step {
  const record = custody.add(sent({ transactionId: TransactionId(id), ...more }));
  return (open) => open.record({ kind: 'outgoing', transaction: record, graceMs: 0 });
}

function shown(custody: Custody, id: string, more: Partial<CustodyTransaction>): Step {
  custody.add(received({ transactionId: TransactionId(id), ...more }));
  return () => Promise.resolve();
}

/** A chain notification of v1, or of another vault. */
function seen(service: Service, hash: string, more: object, ...amounts: string[]): WebhookBody {
  const balanceChanges = amounts.map((amount) => change(amount, AT_ADDRESS));
  return service.chain('transaction', { blockchainHash: hash, balanceChanges, ...more });
}

/**
 * Two days. On the first, a customer pays 100 into v1, v1 moves 30 to v2, v1 pays 7 out, and a
 * failed transaction of v1 burns 1. On the second, the webhook of v2’s 30 arrives, and a customer
 * pays 5.
 */
function story(custody: Custody): Step[][] {
  const service = new Service();
  const atV2 = { vaultId: 'v2', accountId: 'acc-2', addressId: 'adr-2' };
  const debit = (amount: string) => [change(amount, AT_ADDRESS), fee];
  const fee = change('-2', { ...AT_ADDRESS, tags: ['fee'] });
  const burned = change('-1', { ...AT_ADDRESS, tags: ['fee'] });
  const moved = { transactionId: 'moves', blockchainHash: MOVED };
  const paid = { transactionId: 'pays', blockchainHash: SENT };
  const fails = { transactionId: 'fails', blockchainHash: BURNED };
  const late = { transactionId: 'late', blockchainHash: PAID_LATE };
  const feeChange = balanceChange(-2n, { kind: 'fee' });
  return [
    [
      webhooks(service.confirmed(1), seen(service, PAID, {}, '100')),
      shown(custody, 'dep-tx', {}),
      webhooks(service.outgoing('mined', { ...moved, balanceChanges: debit('-30') })),
      webhooks(seen(service, MOVED, {}, '-32'), seen(service, MOVED, { vaultId: 'v2' }, '30')),
      own(custody, 'moves', {
        blockchainHash: BlockchainHash(MOVED),
        changes: [balanceChange(-30n), feeChange],
      }),
      shown(custody, 'moves-in', {
        vaultId: VaultId('v2'),
        blockchainHash: BlockchainHash(MOVED),
        changes: [balanceChange(30n)],
      }),
      webhooks(
        service.outgoing('mined', { ...paid, balanceChanges: debit('-7') }),
        seen(service, SENT, {}, '-9'),
      ),
      own(custody, 'pays', {
        blockchainHash: BlockchainHash(SENT),
        changes: [balanceChange(-7n), feeChange],
      }),
      webhooks(
        service.outgoing('failed', fails),
        service.chain('transaction', { ...fails, balanceChanges: [burned] }),
      ),
      own(custody, 'fails', {
        blockchainHash: BlockchainHash(BURNED),
        status: 'failed',
        changes: null,
      }),
    ],
    [
      webhooks(
        service.confirmed(1, {
          ...atV2,
          transactionId: 'moves-in',
          blockchainHash: MOVED,
          balanceChanges: [change('30')],
        }),
      ),
      webhooks(service.confirmed(1, { ...late, balanceChanges: [change('5')] })),
      webhooks(seen(service, PAID_LATE, {}, '5')),
      shown(custody, 'late', {
        blockchainHash: BlockchainHash(PAID_LATE),
        changes: [balanceChange(5n)],
      }),
    ],
  ];
}

interface Forgery {
  readonly type: 'submitted' | 'signed' | 'mined' | 'failed' | 'rolledback' | 'replaced';
  readonly hash: string;
  readonly vaultId: string;
  readonly amount: number;
  readonly day: 0 | 1;
  /** Delivered before this step of the day, and refuted before a later one or at the end. */
  readonly deliveredAt: number;
  readonly refutedAt: number;
}

const STEPS_MAX = 10;

const forgeries = fc.array(
  fc.record<Forgery>({
    type: fc.constantFrom('submitted', 'signed', 'mined', 'failed', 'rolledback', 'replaced'),
    hash: fc.constantFrom(PAID, MOVED, SENT, PAID_LATE, BURNED, '0xff'),
    vaultId: fc.constantFrom('v1', 'v2', 'v3'),
    amount: fc.constantFrom(-100, -30, -5, 30, 100),
    day: fc.constantFrom(0, 1),
    deliveredAt: fc.nat(STEPS_MAX),
    refutedAt: fc.nat(STEPS_MAX),
  }),
  { minLength: 1, maxLength: 4 },
);

function forgedBody({ type, hash, vaultId, amount }: Forgery, id: string): object {
  return {
    id: `ntf-${id}`,
    timestamp: START,
    stream: 'outgoing',
    type,
    vaultId,
    transactionId: id,
    network: 'ethereum',
    blockchainHash: hash,
    ...(type === 'mined' ? { balanceChanges: [change(String(amount))] } : {}),
  };
}

/** Delivers forged webhooks, and later the custody API's 404 for each. */
class Forger {
  readonly #forgeries: readonly Forgery[];

  constructor(some: readonly Forgery[]) {
    this.#forgeries = some;
  }

  async actBefore(step: number, day: number, open: OpenLedger): Promise<void> {
    for (const [index, forgery] of this.#forgeries.entries()) {
      const transactionId = TransactionId(`forged-${index}`);
      if (forgery.day !== day) continue;
      if (forgery.deliveredAt === step) await open.deliver(forgedBody(forgery, transactionId));
      const refutedAt = Math.min(STEPS_MAX + 1, forgery.deliveredAt + 1 + forgery.refutedAt);
      if (refutedAt === step) await open.record({ kind: 'unknown-transaction', transactionId });
    }
  }
}

/** The reports of both days, reduced to figures and their categories. */
async function reportsWith(some: readonly Forgery[]) {
  const open = await openLedger();
  const forger = new Forger(some);
  const custody = new Custody();
  for (const [day, steps] of story(custody).entries()) {
    const startAt = START + (day + 1) * 10_000_000;
    for (let step = 0; step <= STEPS_MAX + 1; step += 1) {
      open.at = startAt + step * STEP_MS;
      await forger.actBefore(step, day, open);
      open.at = startAt + step * STEP_MS + 20_000;
      await steps[step]?.(open);
    }
    const cutOffAt = startAt + 9_000_000;
    open.at = cutOffAt + 100_000;
    const record = { day: dayNumber(day), cutOffAt, rules: 2 } as const;
    await open.record(closeOf(open, { ...record, custody: custody.reading(open.at) }));
  }
  expect(unsoundCloses(open)).toEqual([]);
  const reports = closesOf(open).map(({ parsed }) => ({
    totals: parsed.totals,
    inTransit: parsed.inTransit,
    unconfirmed: parsed.unconfirmed,
    openDifferences: parsed.openDifferences,
    priorDay: parsed.priorDay.map(({ entryId: _, detail: _detail, ...item }) => item),
    differences: parsed.differences.map(
      ({ explanation: _, breakId: _break, detail: _detail, ...figures }) => figures,
    ),
  }));
  open.close();
  return reports;
}

test('forged webhooks that the custody API denies change no figure and no category of a report', async () => {
  const truth = await reportsWith([]);
  expect(truth.map(({ totals }) => totals)).toMatchObject([
    [
      { vaultId: 'v1', deposits: '100', withdrawals: '7', fees: '5', internal: '-30' },
      { vaultId: 'v2', deposits: '0', internal: '0' },
    ],
    [
      { vaultId: 'v1', deposits: '5', withdrawals: '0', internal: '0' },
      { vaultId: 'v2', deposits: '0', internal: '30' },
    ],
  ]);
  await fc.assert(
    fc.asyncProperty(forgeries, async (some) => {
      expect(await reportsWith(some)).toEqual(truth);
    }),
    { numRuns: 50 },
  );
});

test('a forged webhook that the custody API has not denied yet makes no deposit internal', async () => {
  const open = await openLedger();
  const service = new Service();
  await open.deliver(service.confirmed(1), service.outgoing('submitted', { vaultId: 'v2' }));
  const custody = { kind: 'not_read', reason: 'down' } as const;
  const record = { day: dayNumber(0), cutOffAt: open.at + 1, rules: 2, custody } as const;
  open.at += 1_000;
  await open.record(closeOf(open, record));
  expect(lastReport(open)).toMatchObject({
    totals: [{ asset: AssetId(ETH), deposits: '100', internal: '0' }],
    inTransit: [],
  });
});

test('an unconfirmed debit is listed and makes nothing internal', async () => {
  const open = await openLedger();
  const service = new Service();
  const custody = { kind: 'not_read', reason: 'down' } as const;
  await open.deliver(service.confirmed(1), service.outgoing('mined', { vaultId: 'v2' }));
  const close = async (day: number) => {
    const record = { day: dayNumber(day), cutOffAt: open.at + 1, rules: 2, custody } as const;
    open.at += 1_000;
    await open.record(closeOf(open, record));
  };
  await close(0);
  expect(lastReport(open)).toMatchObject({
    totals: [
      { vaultId: 'v1', deposits: '100', internal: '0' },
      { vaultId: 'v2', withdrawals: '30', fees: '2', internal: '0' },
    ],
    inTransit: [],
    unconfirmed: [{ vaultId: 'v2', blockchainHash: HASH, amount: '-32' }],
  });
  await open.record({
    kind: 'outgoing',
    transaction: sent({ vaultId: VaultId('v2') }),
    graceMs: 0,
  });
  await close(1);
  expect(lastReport(open)).toMatchObject({
    totals: [
      { vaultId: 'v1', deposits: '-100', internal: '100' },
      { vaultId: 'v2', withdrawals: '-30', internal: '-30' },
    ],
    inTransit: [{ leg: 'credit', vaultId: 'v1', amount: '70' }],
    unconfirmed: [],
  });
  expect(unsoundCloses(open)).toEqual([]);
});
