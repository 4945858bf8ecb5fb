import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { forgedConfirmation, ETH, GRACE_MS, Stage, type Webhook } from '../stage.ts';

const USDC = 'ethereum:USDC';
/** Somebody else's contract that calls itself USDC too. */
const LOOKALIKE = 'ethereum:0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238';
const XRP = 'ripple:XRP';
const FUNDS = '900000000000000000';
/** What a transfer burns on this chain, failed or not. */
const GAS = 21_000_000_000_000n;

const POLICY: CreditingPolicy = {
  default: { confirmations: 3, minimumAmount: Amount(10n) },
  networks: { ripple: { confirmations: 1 } },
  assets: { [LOOKALIKE]: { halted: true } },
};

/** What happened, and where it is to end. Amounts are in smallest units, difference = ours − theirs. */
interface Case {
  readonly what: string;
  /** Plays it to the end and answers the hash it is about. */
  readonly happens: (stage: Stage) => Promise<string>;
  /** Every deposit of the hash, in words. */
  readonly deposits: string;
  /** Unresolved breaks: type, severity, asset and signed difference where it has one. */
  readonly breaks: readonly string[];
  /** The whole credit feed. */
  readonly feed: readonly string[];
  /** The books, by asset over all positions. */
  readonly books: Readonly<Record<string, string>>;
  readonly chain: Readonly<Record<string, string>>;
}

/** Pays 700, three deep; the deepest confirmation reports other balance changes. */
async function payReportedOtherwise(
  stage: Stage,
  paid: object,
  reported: object[],
): Promise<string> {
  const depositAddress = await stage.depositAddress();
  stage.loses = ({ stream }: Webhook) => stream === 'incoming';
  const hash = await stage.pay(depositAddress, 700, paid);
  await stage.mine(3);
  const deepest = stage.lost.find(({ confirmations }) => confirmations === 3);
  await stage.deliver({ ...deepest, balanceChanges: reported });
  stage.loses = () => false;
  return hash;
}

async function hashOf(stage: Stage, transactionId: string): Promise<string> {
  const row = await stage.api('GET', `/transactions/${transactionId}`);
  return String(row['blockchainHash']);
}

const CASES: readonly Case[] = [
  {
    what: 'a deposit',
    happens: async (stage) => stage.paid(await stage.depositAddress(), 700, 3),
    deposits: 'credited',
    breaks: [],
    feed: [`credit 700 ${ETH}`],
    books: { [ETH]: '700' },
    chain: { [ETH]: '700' },
  },
  {
    what: 'a forged deposit, of a hash that is nowhere',
    happens: async (stage) => {
      const depositAddress = await stage.depositAddress();
      await stage.deliver(
        forgedConfirmation(depositAddress, { blockchainHash: '0xf0f0', transactionId: 'none' }),
      );
      return '0xf0f0';
    },
    deposits: 'verifying',
    breaks: [`critical unknown_to_custody ${ETH} 700`, `warning conservation ${ETH} 700`],
    feed: [],
    books: { [ETH]: '700' },
    chain: {},
  },
  {
    what: 'a deposit told with a wrong amount',
    happens: (stage) =>
      payReportedOtherwise(stage, {}, [{ asset: ETH, amount: '70000', tags: [] }]),
    deposits: 'credited',
    breaks: [`critical amount_mismatch ${ETH} 69300`],
    feed: [`credit 700 ${ETH}`],
    books: { [ETH]: '700' },
    chain: { [ETH]: '700' },
  },
  {
    what: 'a deposit of another asset with the same symbol, told as it is',
    happens: async (stage) => {
      const hash = await stage.pay(await stage.depositAddress(), 700, { asset: LOOKALIKE });
      await stage.mine(3);
      return hash;
    },
    deposits: 'held: halted',
    breaks: [],
    feed: [],
    books: { [LOOKALIKE]: '700' },
    chain: { [LOOKALIKE]: '700' },
  },
  {
    what: 'a deposit of another asset with the same symbol, told as the one that is meant',
    happens: (stage) =>
      payReportedOtherwise(stage, { asset: LOOKALIKE }, [
        { asset: USDC, amount: '700', tags: ['erc20'] },
      ]),
    // The first is held by the policy; the second is not there.
    deposits: 'held: halted, held: dust',
    breaks: [`critical amount_mismatch ${LOOKALIKE} -700`, `critical unknown_to_custody ${USDC} 0`],
    feed: [],
    books: { [LOOKALIKE]: '700' },
    chain: { [LOOKALIKE]: '700' },
  },
  {
    what: 'a deposit below the minimum',
    happens: async (stage) => stage.paid(await stage.depositAddress(), 9, 3),
    deposits: 'held: dust',
    breaks: [],
    feed: [],
    books: { [ETH]: '9' },
    chain: { [ETH]: '9' },
  },
  {
    what: 'a transfer between own addresses',
    happens: async (stage) => {
      const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
      await stage.paid(from, FUNDS, 3);
      const id = await stage.order(from, to.networkAddress, FUNDS.replace('9', '8'));
      await stage.mine(3);
      return hashOf(stage, id);
    },
    deposits: 'internal',
    breaks: [],
    feed: [`credit ${FUNDS} ${ETH}`],
    books: { [ETH]: String(BigInt(FUNDS) - GAS) },
    chain: { [ETH]: String(BigInt(FUNDS) - GAS) },
  },
  {
    what: 'a transfer between own addresses that failed on-chain',
    happens: async (stage) => {
      const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
      await stage.paid(from, FUNDS, 3);
      await stage.caller.sim('PUT', '/sim/faults', { transactions: [{ fault: 'revert' }] });
      const id = await stage.order(from, to.networkAddress, '1000');
      await stage.mine(3);
      return hashOf(stage, id);
    },
    // Seen in the mempool, and gone when it failed.
    deposits: 'rolled_back',
    breaks: [],
    feed: [`credit ${FUNDS} ${ETH}`],
    books: { [ETH]: String(BigInt(FUNDS) - GAS) },
    chain: { [ETH]: String(BigInt(FUNDS) - GAS) },
  },
  {
    what: 'a confirmation of a transaction that failed on-chain',
    happens: async (stage) => {
      const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
      await stage.paid(from, FUNDS, 3);
      await stage.caller.sim('PUT', '/sim/faults', { transactions: [{ fault: 'revert' }] });
      const id = await stage.order(from, to.networkAddress, '1000');
      await stage.mine(3);
      const blockchainHash = await hashOf(stage, id);
      await stage.deliver(forgedConfirmation(to, { blockchainHash, transactionId: 'none' }));
      return blockchainHash;
    },
    deposits: 'internal',
    breaks: [`warning conservation ${ETH} 700`, `warning status_mismatch ${ETH}`],
    feed: [`credit ${FUNDS} ${ETH}`],
    books: { [ETH]: String(BigInt(FUNDS) - GAS + 700n) },
    chain: { [ETH]: String(BigInt(FUNDS) - GAS) },
  },
  {
    what: 'a ripple payment that claims more than it delivers',
    happens: async (stage) => {
      const depositAddress = await stage.depositAddress('ripple');
      const more = { network: 'ripple', asset: XRP, claimedAmount: '5000000' };
      const hash = await stage.pay(depositAddress, 50, more);
      await stage.mine(3, 'ripple');
      return hash;
    },
    deposits: 'credited',
    breaks: [],
    feed: [`credit 50 ${XRP}`],
    books: { [XRP]: '50' },
    chain: { [XRP]: '50' },
  },
  {
    what: 'a deposit to a memo that is not registered',
    happens: async (stage) => {
      const depositAddress = await stage.depositAddress('ripple');
      const hash = await stage.pay(depositAddress, 700, {
        network: 'ripple',
        asset: XRP,
        memo: '4711',
      });
      await stage.mine(3, 'ripple');
      return hash;
    },
    deposits: 'held: unattributed_memo',
    breaks: [`warning unattributed_memo ${XRP}`],
    feed: [],
    books: { [XRP]: '700' },
    chain: { [XRP]: '700' },
  },
  {
    what: 'a deposit that a reorganisation takes away before its credit',
    happens: async (stage) => {
      const hash = await stage.paid(await stage.depositAddress(), 700, 1);
      await stage.reorg(1, [hash]);
      return hash;
    },
    deposits: 'rolled_back',
    breaks: [],
    feed: [],
    books: {},
    chain: {},
  },
  {
    what: 'a deposit that a reorganisation takes away after its credit',
    happens: async (stage) => {
      const hash = await stage.paid(await stage.depositAddress(), 700, 3);
      await stage.run();
      await stage.reorg(5, [hash]);
      return hash;
    },
    deposits: 'reversed',
    breaks: [`critical reversal_after_credit ${ETH} 700`],
    feed: [`credit 700 ${ETH}`, `reversal 700 ${ETH}`],
    books: {},
    chain: {},
  },
];

function totals(positions: Readonly<Record<string, string>>): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const [name, amount] of Object.entries(positions)) {
    const asset = name.slice(name.lastIndexOf(' ') + 1);
    sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(amount));
  }
  return Object.fromEntries([...sums].map(([asset, sum]) => [asset, String(sum)]));
}

function openBreaks(stage: Stage): string[] {
  return stage.open
    .breaks()
    .filter(({ state }) => state !== 'resolved')
    .map(({ type, severity, asset, expected, actual }) => {
      const known = expected !== null && actual !== null;
      const difference = known ? ` ${BigInt(actual) - BigInt(expected)}` : '';
      return `${severity} ${type} ${asset ?? ''}${difference}`;
    })
    .toSorted();
}

test.for(CASES)('$what', async (expected) => {
  const stage = await Stage.start({ policy: POLICY });
  const hash = await expected.happens(stage);
  await stage.run();
  await stage.caller.advance(GRACE_MS);
  await stage.run();
  await stage.run();
  expect({
    deposits: await stage.depositState(hash),
    breaks: openBreaks(stage),
    feed: stage.open.feed().map(({ kind, amount, deposit }) => {
      const { asset } = JSON.parse(deposit) as { asset: string };
      return `${kind} ${amount} ${asset}`;
    }),
    books: totals(stage.open.positions()),
    chain: totals(stage.open.positions('chain')),
  }).toEqual({
    deposits: expected.deposits,
    breaks: expected.breaks,
    feed: expected.feed,
    books: expected.books,
    chain: expected.chain,
  });
});
