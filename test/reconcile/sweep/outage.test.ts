import { expect, test } from 'vitest';
import type { Sweep } from '../../../src/reconcile/sweep/sweep.ts';
import { ETH, GRACE_MS, Stage, type DepositAddress } from '../stage.ts';

const BTC = 'bitcoin:BTC';
const XRP = 'ripple:XRP';
const FUNDS = '900000000000000000';
const HOUR_MS = 3_600_000;
const OUTSIDE = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

/** Sums by vault and asset. */
type Sums = Record<string, string>;

function sumsOf(rows: readonly { vault: string; asset: string; amount: string }[]): Sums {
  const sums = new Map<string, bigint>();
  for (const { vault, asset, amount } of rows) {
    const key = `${vault} ${asset}`;
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(amount));
  }
  const held = [...sums].filter(([, sum]) => sum !== 0n);
  return Object.fromEntries(held.map(([key, sum]) => [key, String(sum)]));
}

function ours(stage: Stage, view: 'books' | 'chain'): Sums {
  return sumsOf(
    Object.entries(stage.open.positions(view)).map(([name, amount]) => {
      const [position = '', asset = ''] = name.split(' ');
      return { vault: position.split('/')[0] ?? '', asset, amount };
    }),
  );
}

async function truth(stage: Stage): Promise<Sums> {
  const { data } = await stage.caller.sim('GET', '/sim/truth/balances');
  const rows = data as { vaultId: string; asset: string; amount: string }[];
  return sumsOf(rows.map(({ vaultId, asset, amount }) => ({ vault: vaultId, asset, amount })));
}

/** A day of deposits, withdrawals, an own transfer and a reorganisation on three networks. */
async function day(
  stage: Stage,
  depositAddresses: Record<'eth' | 'other' | 'btc' | 'xrp', DepositAddress>,
) {
  const { eth, other, btc, xrp } = depositAddresses;
  const credits: string[] = [];
  for (let hour = 0; hour < 24; hour += 3) {
    const amounts = { eth: 1_000 + hour, btc: 20_000 + hour, xrp: 3_000_000 + hour };
    await stage.pay(eth, amounts.eth);
    await stage.pay(btc, amounts.btc, { network: 'bitcoin', asset: BTC });
    await stage.pay(xrp, amounts.xrp, { network: 'ripple', asset: XRP });
    credits.push(`${amounts.eth} ${ETH}`, `${amounts.btc} ${BTC}`, `${amounts.xrp} ${XRP}`);
    for (const network of ['ethereum', 'bitcoin', 'ripple']) await stage.mine(3, network);
    if (hour === 6) await stage.order(eth, OUTSIDE, '5000');
    if (hour === 12) await stage.order(eth, other.networkAddress, '7000');
    if (hour === 15) await stage.reorg(2, []);
    await stage.caller.advance(3 * HOUR_MS);
  }
  for (const network of ['ethereum', 'bitcoin', 'ripple']) await stage.mine(6, network);
  return credits;
}

/** Runs until nothing is left to repair: each some minutes after the other. */
async function repaired(stage: Stage, sweep: Sweep): Promise<void> {
  await stage.caller.advance(GRACE_MS);
  for (let run = 0; run < 12; run += 1) {
    await stage.caller.advance(660_000);
    await stage.run(sweep);
  }
}

function tables(stage: Stage, names: readonly string[]): unknown {
  return Object.fromEntries(
    names.map((name) => [name, stage.open.rows(`SELECT * FROM ${name} ORDER BY 1, 2`)]),
  );
}

const MONEY = ['entries', 'postings', 'balances', 'credits'];
const ALL = [
  ...MONEY,
  'journal',
  'notifications',
  'quarantine',
  'sightings',
  'ledger_accounts',
  'movements',
  'assets',
  'deposits',
  'withdrawals',
  'breaks',
  'break_events',
  'reconciliations',
  'policies',
];

test.for([
  ['answered 200 and lost', 200],
  ['answered 404', 404],
] as const)(
  'a day whose webhooks were all %s is made good from the API, and counts once',
  { timeout: 240_000 },
  async ([, status]) => {
    const stage = await Stage.start();
    const depositAddresses = {
      eth: await stage.depositAddress(),
      other: await stage.depositAddress(),
      btc: await stage.depositAddress('bitcoin'),
      xrp: await stage.depositAddress('ripple'),
    };
    await stage.paid(depositAddresses.eth, FUNDS, 3);
    const webhookUrl = await stage.webhookUrl();
    const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
    await stage.run(sweep);

    stage.loses = () => true;
    stage.answersLost = status;
    const credits = await day(stage, depositAddresses);
    expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
    expect(stage.lost.length).toBeGreaterThan(0);
    // The product is up again: whoever delivers to it now, by a retry or a replay, is heard.
    stage.loses = () => false;
    await repaired(stage, sweep);

    const fed = stage.open.feed().map(({ kind, amount, deposit }) => {
      const { asset } = JSON.parse(deposit) as { asset: string };
      return `${kind} ${amount} ${asset}`;
    });
    const due = [`${FUNDS} ${ETH}`, ...credits].map((credit) => `credit ${credit}`);
    expect(fed.toSorted()).toEqual(due.toSorted());
    expect(ours(stage, 'books')).toEqual(await truth(stage));
    expect(ours(stage, 'chain')).toEqual(await truth(stage));
    expect(stage.open.openBreaks()).toEqual([]);

    const everything = [...stage.heard.values()];
    expect(everything.length).toBeGreaterThan(150);
    const money = tables(stage, MONEY);
    for (const webhook of everything) await stage.deliver(webhook);
    await stage.run(sweep);
    expect(tables(stage, MONEY)).toEqual(money);
    expect(stage.open.openBreaks()).toEqual([]);
    const all = tables(stage, ALL);
    for (const webhook of everything) await stage.deliver(webhook);
    expect(tables(stage, ALL)).toEqual(all);
  },
);
