import { expect, test } from 'vitest';
import { BlockchainHash, TransactionId, VaultId } from '../../../src/domain/ids.ts';
import { balanceChange, sent } from '../evidence.ts';
import { OpenLedger } from '../open-ledger.ts';
import { AT_ADDRESS, change, MINED, Service, type ChangeBody } from '../webhook.ts';

/** Something that happens to a ledger. */
type Step = (to: { open: OpenLedger; service: Service }) => Promise<unknown>;

const AT = 'v1/acc-1/adr-1 ethereum:ETH';
const OTHER_HASH = { blockchainHash: '0xb2' };

function fee(amount: string): ChangeBody {
  return change(amount, { ...AT_ADDRESS, tags: ['fee'] });
}

function webhookStep(transactionId: string, type: string, more: object = {}): Step {
  return ({ open, service }) =>
    open.deliver(service.outgoing(type, { transactionId, orderId: transactionId, ...more }));
}

function onChain(balanceChanges: readonly ChangeBody[], more: object = {}): Step {
  return ({ open, service }) =>
    open.deliver(service.chain('transaction', { balanceChanges, ...more }));
}

const rolledBack: Step = ({ open, service }) => open.deliver(service.chain('rollback'));

function received(balanceChanges: readonly ChangeBody[]): Step {
  return ({ open, service }) => open.deliver(service.confirmed(6, { balanceChanges }));
}

function denied(id: string): Step {
  return ({ open }) =>
    open.record({ kind: 'unknown-transaction', transactionId: TransactionId(id) });
}

/** The custody API says that it failed; `backfill`: where no notification reported it. */
function failedByApi(id: string, kind: 'outgoing' | 'backfill', more: object = {}): Step {
  const transactionId = TransactionId(id);
  const transaction = sent({ transactionId, status: 'failed', changes: null, ...more });
  return ({ open }) =>
    open.record(
      kind === 'outgoing' ? { kind, transaction, graceMs: 0 } : { kind: 'backfill', transaction },
    );
}

/** Every order in which lines can come, each of them in its own order. */
function* interleavings<Item>(lines: readonly (readonly Item[])[]): Generator<Item[]> {
  if (lines.every((line) => line.length === 0)) yield [];
  for (const [at, [first, ...rest]] of lines.entries()) {
    if (first === undefined) continue;
    for (const others of interleavings(lines.with(at, rest))) yield [first, ...others];
  }
}

/** Fees of `0xa1` in `v1`: what is booked for failed transactions, and what the chain view says. */
function fees(open: OpenLedger): { burned: bigint; onChain: bigint } {
  const sum = (cause: string): bigint =>
    open
      .rows<{ amount: string }>(
        `SELECT amount FROM postings JOIN entries USING (entry_id)
         JOIN ledger_accounts a USING (ledger_account)
         WHERE kind = 'network-fees' AND a.vault_id = 'v1' AND blockchain_hash = '0xa1'
           AND cause = ?`,
        cause,
      )
      .reduce((total, { amount }) => total + BigInt(amount), 0n);
  return { burned: sum('failed-fee'), onChain: sum('chain') };
}

const A_FAILED = webhookStep('tx-a', 'failed');
const B_FAILED = webhookStep('tx-b', 'failed');
const SEEN = onChain([fee('-2')]);
const MINED_SEEN = onChain(MINED);

const STORIES: [story: string, lines: Step[][], books: Record<string, string>, breaks: string[]][] =
  [
    ['one failed', [[A_FAILED], [SEEN]], { [AT]: '-2' }, []],
    ['two failed', [[A_FAILED], [B_FAILED], [SEEN]], { [AT]: '-2' }, []],
    [
      'three failed',
      [[A_FAILED], [B_FAILED], [webhookStep('tx-c', 'failed')], [SEEN]],
      { [AT]: '-2' },
      [],
    ],
    ['the hash is rolled back', [[A_FAILED], [B_FAILED], [SEEN, rolledBack]], {}, []],
    [
      'and mined again with another fee',
      [[A_FAILED], [B_FAILED], [SEEN, rolledBack, onChain([fee('-3')])]],
      { [AT]: '-3' },
      [],
    ],
    [
      'the chain view is told anew',
      [[A_FAILED], [B_FAILED], [SEEN, onChain([fee('-1'), fee('-3')], { confirmations: 2 })]],
      { [AT]: '-4' },
      ['amount_changed'],
    ],
    [
      'one of them was mined after all, and tells its fee itself',
      [[A_FAILED, webhookStep('tx-a', 'mined')], [B_FAILED], [MINED_SEEN]],
      { [AT]: '-32' },
      [],
    ],
    [
      'and was rolled back in the end',
      [
        [webhookStep('tx-a', 'mined'), webhookStep('tx-a', 'rolledback')],
        [B_FAILED],
        [MINED_SEEN, rolledBack, SEEN],
      ],
      { [AT]: '-2' },
      [],
    ],
    [
      'one of them was replaced',
      [[A_FAILED, webhookStep('tx-a', 'replaced')], [B_FAILED], [SEEN]],
      { [AT]: '-2' },
      [],
    ],
    [
      'one of them was mined under another hash',
      [[A_FAILED, webhookStep('tx-a', 'mined', OTHER_HASH)], [B_FAILED], [SEEN]],
      { [AT]: '-34' },
      [],
    ],
    [
      'the failure of one names another hash than it was submitted under',
      [
        [webhookStep('tx-a', 'submitted'), webhookStep('tx-a', 'failed', OTHER_HASH)],
        [B_FAILED],
        [SEEN],
      ],
      { [AT]: '-2' },
      [],
    ],
    [
      'it was sent under another hash before, and failed under this one',
      [
        [webhookStep('tx-a', 'submitted', OTHER_HASH)],
        [webhookStep('tx-a', 'submitted')],
        [A_FAILED],
        [SEEN],
      ],
      { [AT]: '-2' },
      [],
    ],
    [
      'it is told to be cancelled, too',
      [[A_FAILED], [webhookStep('tx-a', 'cancelled', { reasonCode: 'order_expired' })], [SEEN]],
      { [AT]: '-2' },
      [],
    ],
    [
      'each in a vault of its own',
      [
        [A_FAILED],
        [webhookStep('tx-b', 'failed', { vaultId: 'v2' })],
        [SEEN],
        [onChain([fee('-3')], { vaultId: 'v2' })],
      ],
      { [AT]: '-2', 'v2/acc-1/adr-1 ethereum:ETH': '-3' },
      [],
    ],
    [
      'a receipt of the vault tells the fee',
      [[A_FAILED], [received([fee('-2')])], [SEEN]],
      { [AT]: '-2' },
      [],
    ],
    [
      'the API does not know one of them',
      [[A_FAILED, denied('tx-a')], [B_FAILED], [SEEN]],
      { [AT]: '-2' },
      ['unknown_to_custody'],
    ],
    [
      'the API knows it after all',
      [[A_FAILED, denied('tx-a'), failedByApi('tx-a', 'outgoing')], [B_FAILED], [SEEN]],
      { [AT]: '-2' },
      [],
    ],
    [
      'the API says that one failed which webhooks told as mined',
      [[webhookStep('tx-a', 'mined'), failedByApi('tx-a', 'outgoing')], [B_FAILED], [SEEN]],
      { [AT]: '-2' },
      ['status_mismatch'],
    ],
    [
      'the API has one of them under another hash',
      [
        [A_FAILED, failedByApi('tx-a', 'outgoing', { blockchainHash: BlockchainHash('0xb2') })],
        [B_FAILED],
        [SEEN],
      ],
      { [AT]: '-2' },
      [],
    ],
    [
      'the API has one of them in another vault',
      [[A_FAILED, failedByApi('tx-a', 'outgoing', { vaultId: VaultId('v2') })], [B_FAILED], [SEEN]],
      { [AT]: '-2' },
      ['status_mismatch'],
    ],
    [
      'the API alone tells of one',
      [[failedByApi('tx-a', 'backfill')], [B_FAILED], [SEEN]],
      { [AT]: '-2' },
      [],
    ],
    [
      'the API says that one of them was mined',
      [
        [
          A_FAILED,
          failedByApi('tx-a', 'backfill', {
            status: 'mined',
            changes: [balanceChange(-30n), balanceChange(-2n, { kind: 'fee' })],
          }),
        ],
        [B_FAILED],
        [MINED_SEEN],
      ],
      { [AT]: '-32' },
      [],
    ],
  ];

/** The ledger after each order; while it grows no fee is booked but what the chain view says. */
async function* inEveryOrder(lines: Step[][]): AsyncGenerator<OpenLedger> {
  for (const steps of interleavings(lines)) {
    const open = new OpenLedger();
    const service = new Service();
    for (const step of steps) {
      await step({ open, service });
      const { burned, onChain: paid } = fees(open);
      expect([0n, paid]).toContain(burned);
    }
    await open.run(0);
    yield open;
    open.close();
  }
}

test.for(STORIES)(
  'the fee of a hash is booked once, in every order: %s',
  async ([, lines, books, breaks]) => {
    for await (const open of inEveryOrder(lines)) {
      expect(open.positions()).toEqual(books);
      expect(open.openBreaks()).toEqual(breaks);
    }
  },
);

test('no fee is booked where the API knows none that failed, in every order', async () => {
  const lines = [[A_FAILED, denied('tx-a')], [B_FAILED, denied('tx-b')], [SEEN]];
  for await (const open of inEveryOrder(lines)) {
    expect(open.positions()).toEqual({});
    // Whether the books ever had it depends on the order.
    expect(open.openBreaks()).toHaveLength(3);
  }
});
