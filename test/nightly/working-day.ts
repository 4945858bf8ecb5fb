import { Amount, plus, ZERO } from '../../src/domain/money/amount.ts';
import type { CountedEffect } from '../../src/domain/close/record.ts';
import type { CustodyTransaction } from '../../src/domain/fact/custody-record.ts';
import {
  AccountId,
  AddressId,
  AssetId,
  BlockchainHash,
  DepositId,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../src/domain/ids.ts';
import type { CreditingPolicy } from '../../src/domain/policy/policy.ts';
import type { ConsoleUnderTest } from '../console/console-under-test.ts';
import { closeOf, closesOf } from '../store/close/closing.ts';
import { balanceChange, received, sent } from '../store/evidence.ts';
import { change, decimals } from '../store/webhook.ts';

/** The closed day that the documentation shows. */
export const CLOSED_DAY = '2025-11-20';
const CUT_OFF_AT = Date.parse('2025-11-21T00:00:00Z');

/** Large deposits need a person. */
export const POLICY: CreditingPolicy = {
  default: { confirmations: 6 },
  networks: { bitcoin: { confirmations: 2 } },
  assets: {
    'bitcoin:BTC': { oneApprovalAbove: Amount(500_000_000n) },
    'ethereum:ETH': {
      oneApprovalAbove: Amount(50n * 10n ** 18n),
      minimumAmount: Amount(10n ** 15n),
    },
    'ripple:XRP': { requireMemo: true },
  },
};

const DECIMALS = { 'ethereum:ETH': 18, 'bitcoin:BTC': 8, 'ripple:XRP': 6 } as const;
type Asset = keyof typeof DECIMALS;

interface Payment {
  readonly at: string;
  readonly asset: Asset;
  /** Smallest units. */
  readonly amount: bigint;
  readonly customer: number;
  readonly memo?: string;
  /** Whether the memo is registered at the custody service. */
  readonly isKnown?: boolean;
}

/** The deposits of the closed day. */
const PAID: readonly Payment[] = [
  { at: '01:12', asset: 'ethereum:ETH', amount: 2_500_000_000_000_000_000n, customer: 104 },
  { at: '03:40', asset: 'bitcoin:BTC', amount: 12_500_000n, customer: 231 },
  {
    at: '07:05',
    asset: 'ripple:XRP',
    amount: 1_250_000_000n,
    customer: 87,
    memo: '4711',
    isKnown: true,
  },
  { at: '09:31', asset: 'ethereum:ETH', amount: 740_000_000_000_000_000n, customer: 312 },
  { at: '10:02', asset: 'bitcoin:BTC', amount: 205_000_000n, customer: 18 },
  { at: '11:47', asset: 'ethereum:ETH', amount: 18_200_000_000_000_000_000n, customer: 56 },
  {
    at: '14:20',
    asset: 'ripple:XRP',
    amount: 320_500_000n,
    customer: 140,
    memo: '4712',
    isKnown: true,
  },
  { at: '16:58', asset: 'bitcoin:BTC', amount: 4_310_000n, customer: 402 },
  { at: '20:15', asset: 'ethereum:ETH', amount: 1_005_000_000_000_000_000n, customer: 104 },
];

const NEXT_DAY = '2025-11-21';

/** When the images are taken, Unix milliseconds. */
export const MORNING_AT = Date.parse('2025-11-21T09:14:00Z');

/** The deposits of the next morning, each with its depth. */
const MORNING: readonly (Payment & { readonly depth: number })[] = [
  { at: '07:41', asset: 'bitcoin:BTC', amount: 8_800_000n, customer: 231, depth: 6 },
  { at: '08:22', asset: 'ethereum:ETH', amount: 120n * 10n ** 18n, customer: 9, depth: 6 },
  { at: '08:47', asset: 'ripple:XRP', amount: 75_000_000n, customer: 87, memo: '4799', depth: 6 },
  {
    at: '08:55',
    asset: 'ethereum:ETH',
    amount: 1_900_000_000_000_000_000n,
    customer: 56,
    depth: 6,
  },
  { at: '09:12', asset: 'ethereum:ETH', amount: 310_000_000_000_000_000n, customer: 77, depth: 3 },
  { at: '09:13', asset: 'bitcoin:BTC', amount: 1_500_000n, customer: 402, depth: 0 },
];

/** A deposit that a forged webhook describes: the custody API knows no such transaction. */
const FORGED: Payment = {
  at: '09:02',
  asset: 'ethereum:ETH',
  amount: 40n * 10n ** 18n,
  customer: 600,
};

/** A deposit, and what the custody API says of it. */
interface Paid {
  readonly record: CustodyTransaction;
  readonly depositId: DepositId;
}

/** A stable hexadecimal text of a payment or withdrawal, as long as a hash. */
function hashOf(number: number): string {
  let state = number * 2_654_435_761;
  let text = '';
  while (text.length < 64) {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0;
    text += state.toString(16).padStart(8, '0');
  }
  return text.slice(0, 64);
}

/** An exchange's day that ties out, and its next morning, on a console's own store. */
export class WorkingDay {
  readonly #console: ConsoleUnderTest;
  readonly #counted: CountedEffect[] = [];
  #number = 0;

  constructor(console: ConsoleUnderTest) {
    this.#console = console;
  }

  /** Goes on to a time: `HH:MM` on the given day. */
  #at(time: string, day = CLOSED_DAY): void {
    this.#console.open.at = Date.parse(`${day}T${time}:00Z`);
  }

  /** Sends a deposit's webhooks up to a depth. */
  async #pay(payment: Payment, depth: number): Promise<Paid> {
    const { open, service } = this.#console;
    this.#number += 1;
    const { asset, amount, customer, memo, isKnown = false } = payment;
    const network = asset.slice(0, asset.indexOf(':'));
    const blockchainHash = `${network === 'ethereum' ? '0x' : ''}${hashOf(this.#number)}`;
    const [vaultId, accountId] = ['deposits', `customer-${customer}`];
    const addressId = `adr-${customer}-${network}`;
    const transactionId = `tx-${1000 + this.#number}`;
    const entry = change(amount, {
      asset,
      ...decimals(DECIMALS[asset]),
      address: { id: addressId },
      account: { id: accountId },
      ...(memo !== undefined && isKnown ? { memoInfo: { memo } } : {}),
    });
    const chain = { network, blockchainHash, vaultId, balanceChanges: [entry] };
    const own = { ...chain, transactionId, accountId, addressId, memo };
    await open.deliver(service.incoming('mempool', own));
    if (depth > 0) {
      await open.deliver(service.chain('transaction', chain), service.confirmed(1, own));
    }
    if (depth > 1) await open.deliver(service.confirmed(depth, own));
    const changed = balanceChange(amount, {
      asset: AssetId(asset),
      accountId: AccountId(accountId),
      addressId: AddressId(addressId),
      memo: memo !== undefined && isKnown ? Memo(memo) : null,
    });
    const record = received({
      transactionId: TransactionId(transactionId),
      vaultId: VaultId(vaultId),
      network: NetworkKey(network),
      blockchainHash: BlockchainHash(blockchainHash),
      accountId: AccountId(accountId),
      addressId: AddressId(addressId),
      memo: memo === undefined ? null : Memo(memo),
      confirmations: depth,
      updatedAt: open.at,
      changes: [changed],
    });
    return { record, depositId: DepositId(open.deposits().at(-1)?.deposit_id ?? '') };
  }

  /** The custody API's record of a deposit, as the verifier reads it. */
  async #verify({ record, depositId }: Paid): Promise<void> {
    const { open } = this.#console;
    await open.record({ kind: 'deposit', depositId, transaction: record, graceMs: 0 });
    this.#count(record, 'incoming');
  }

  #count(record: CustodyTransaction, kind: 'incoming' | 'outgoing'): void {
    const { transactionId, vaultId, network, blockchainHash, updatedAt, changes } = record;
    const amounts = new Map<AssetId, Amount>();
    for (const { asset, amount } of changes ?? []) {
      amounts.set(asset, plus(amounts.get(asset) ?? ZERO, amount));
    }
    this.#counted.push({
      transactionId,
      vaultId,
      network,
      blockchainHash: blockchainHash ?? BlockchainHash(transactionId),
      amounts: [...amounts].map(([asset, amount]) => ({ asset, amount })),
      updatedAt,
      kind,
      at: updatedAt,
      datedBy: 'block',
    });
  }

  /** The exchange books a credit, and acknowledges it. */
  async #book(): Promise<void> {
    const { open } = this.#console;
    const reference = `booking ${7_000 + this.#number}`;
    await open.decide(
      { kind: 'acknowledge', creditId: open.lastCreditId(), reference },
      'exchange',
    );
  }

  /** A withdrawal with its fee, from the submission to the custody API's record. */
  async #withdraw(time: string, amount: bigint, customer: number): Promise<void> {
    const { open, service } = this.#console;
    this.#at(time);
    this.#number += 1;
    const blockchainHash = `0x${hashOf(this.#number)}`;
    const transactionId = `wd-${1000 + this.#number}`;
    const position = { address: { id: 'adr-hot' }, account: { id: 'hot' } };
    const fee = 420_000_000_000_000n;
    const balanceChanges = [
      change(-amount, { ...position, ...decimals(18) }),
      change(-fee, { ...position, ...decimals(18), tags: ['fee'] }),
    ];
    const chain = { blockchainHash, vaultId: 'deposits' };
    const own = {
      ...chain,
      transactionId,
      orderId: `order-${customer}`,
      destinationAddress: `0x${hashOf(customer).slice(0, 40)}`,
    };
    await open.deliver(
      service.outgoing('submitted', own),
      service.outgoing('mined', { ...own, balanceChanges }),
      service.chain('transaction', { ...chain, balanceChanges }),
    );
    const moved = (units: bigint, kind: 'transfer' | 'fee') =>
      balanceChange(units, {
        kind,
        accountId: AccountId('hot'),
        addressId: AddressId('adr-hot'),
      });
    const transaction = sent({
      transactionId: TransactionId(transactionId),
      vaultId: VaultId('deposits'),
      blockchainHash: BlockchainHash(blockchainHash),
      updatedAt: open.at,
      changes: [moved(-amount, 'transfer'), moved(-fee, 'fee')],
    });
    await open.record({ kind: 'outgoing', transaction, graceMs: 0 });
    this.#count(transaction, 'outgoing');
  }

  /** Deposits, withdrawals, the close, and both signatures. */
  async close(): Promise<void> {
    const { open } = this.#console;
    for (const payment of PAID) {
      this.#at(payment.at);
      const paid = await this.#pay(payment, 6);
      await this.#verify(paid);
      await this.#book();
    }
    await this.#withdraw('21:10', 3_100_000_000_000_000_000n, 56);
    await this.#withdraw('21:40', 650_000_000_000_000_000n, 312);
    await open.run();
    open.at = CUT_OFF_AT + 300_000;
    await open.record(
      closeOf(open, {
        day: CLOSED_DAY,
        cutOffAt: CUT_OFF_AT,
        custody: {
          kind: 'read',
          readAt: open.at,
          requests: 1,
          watermark: open.at,
          transactions: this.#counted.length,
          unreadable: 0,
          counted: this.#counted,
          pending: [],
        },
        vaultNames: { deposits: 'Customer deposits' },
        rules: 2,
      }),
    );
    await this.#sign();
  }

  async #sign(): Promise<void> {
    const { open } = this.#console;
    this.#at('08:05', NEXT_DAY);
    const [closed] = closesOf(open);
    if (closed === undefined) throw new Error('the day is not closed');
    const signed = {
      kind: 'sign',
      day: CLOSED_DAY,
      reportHash: closed.report_hash,
      reason: 'compared with the bank',
    } as const;
    await open.decide({ ...signed, role: 'preparer' }, 'fiona');
    await open.decide({ ...signed, role: 'reviewer', reason: 'read the figures' }, 'felix');
  }

  /** The next morning: credits, and deposits that wait for blocks and for people. */
  async morning(): Promise<void> {
    const { open, service } = this.#console;
    for (const { depth, ...payment } of MORNING) {
      this.#at(payment.at, NEXT_DAY);
      const paid = await this.#pay(payment, depth);
      if (depth < 6) continue;
      await this.#verify(paid);
      if (open.deposits().at(-1)?.state === 'credited') await this.#book();
    }
    this.#at('09:02', NEXT_DAY);
    const forged = await this.#pay(FORGED, 6);
    await open.record({ kind: 'deposit', ...forged, transaction: null, graceMs: 0 });
    await open.deliver({ ...service.confirmed(1), stream: 'staking' });
    this.#at('09:14', NEXT_DAY);
    await open.run();
  }
}
