import { queryObjects } from 'node:v8';
import type { Database } from 'better-sqlite3';
import { expect, test } from 'vitest';
import { arrivedWeight } from '../../../src/domain/hash/hash-limits.ts';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import { BlockchainHash, DepositId, NetworkKey } from '../../../src/domain/ids.ts';
import { HashStates } from '../../../src/store/unit/hash-states.ts';
import { TwoPeriodCache } from '../../../src/store/unit/two-period-cache.ts';
import { HashNumbers } from '../../../src/store/sqlite/keys/hash-numbers.ts';
import { KeyIndex } from '../../../src/store/sqlite/keys/key-index.ts';
import { SqliteRecords } from '../../../src/store/sqlite/writing/sqlite-records.ts';
import { chainView, DUE } from '../../domain/records.ts';
import { balanceChange } from '../evidence.ts';
import { openLedger } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

const SEQ = 7;
const MANY = 1_000;

/** Deposits of one hash, their ids in no order, that count how often their ids are looked at. */
function watched(): { deposits: Deposit[]; looks: () => number } {
  let looks = 0;
  const deposits = Array.from({ length: MANY }, (_, at) => {
    const depositId = DepositId(`dep_${(at * 7_919) % MANY}`);
    return Object.defineProperty({ ...DUE }, 'depositId', {
      enumerable: true,
      get: () => {
        looks += 1;
        return depositId;
      },
    });
  });
  return { deposits, looks: () => looks };
}

function recordsOf(db: Database): SqliteRecords {
  const keys = new KeyIndex(db);
  return new SqliteRecords(db, keys, new HashNumbers(keys));
}

async function emptyHashStates(): Promise<HashStates> {
  return new HashStates(recordsOf((await openLedger()).db));
}

function idsIn(hashStates: HashStates): string[] {
  return hashStates.of(DUE.network, DUE.blockchainHash).deposits.map(({ depositId }) => depositId);
}

test('the deposits of a hash are sorted by id, in any order of arrival', async () => {
  const hashStates = await emptyHashStates();
  for (const id of ['dep_5', 'dep_1', 'dep_9', 'dep_3', 'dep_1']) {
    hashStates.putDeposit({ ...DUE, depositId: DepositId(id) }, SEQ);
  }
  expect(idsIn(hashStates)).toEqual(['dep_1', 'dep_3', 'dep_5', 'dep_9']);
});

test('a deposit that is put again replaces itself only', async () => {
  const hashStates = await emptyHashStates();
  const [one, other] = [DepositId('dep_1'), DepositId('dep_2')];
  hashStates.putDeposit({ ...DUE, depositId: other }, SEQ);
  hashStates.putDeposit({ ...DUE, depositId: one }, SEQ);
  hashStates.putDeposit({ ...DUE, depositId: one, confirmations: 9 }, SEQ);
  expect(hashStates.deposit(one)?.confirmations).toBe(9);
  expect(hashStates.deposit(other)?.confirmations).toBe(DUE.confirmations);
  expect(hashStates.deposit(DepositId('dep_3'))).toBeUndefined();
});

test('each of many deposits of a hash is found by a few looks', async () => {
  const hashStates = await emptyHashStates();
  const { deposits, looks } = watched();
  for (const deposit of deposits) {
    hashStates.nameHash(deposit.network, deposit.blockchainHash, SEQ);
    hashStates.putDeposit(deposit, SEQ);
  }
  expect(hashStates.takeWrites().deposits).toHaveLength(MANY);
  // Twice by halves, and once to see whether it is the one.
  const halves = Math.ceil(Math.log2(MANY));
  expect(looks()).toBeLessThanOrEqual(MANY * 2 * (halves + 2));
});

test('a hash’s arrivals have the same weight when they come and when they are replayed', async () => {
  const hashStates = await emptyHashStates();
  const { network, blockchainHash } = DUE;
  const changes = [balanceChange(1n), balanceChange(2n)];
  const weights = [
    () => hashStates.putDeposit(DUE, SEQ),
    () => hashStates.putDeposit({ ...DUE, confirmations: 9 }, SEQ),
    () => hashStates.putSighting(chainView({ posted: changes })),
    () => hashStates.putSighting(chainView({ posted: changes.slice(1) })),
  ].map((put) => {
    put();
    expect(hashStates.arrivedAt(network, blockchainHash)).toBeCloseTo(
      arrivedWeight(hashStates.of(network, blockchainHash)),
      6,
    );
    return Math.floor(hashStates.arrivedAt(network, blockchainHash));
  });
  expect(weights).toEqual([1, 1, 4, 3]);
});

test('the weight of a hash is the same in memory and read from the store', async () => {
  const open = await openLedger();
  const service = new Service();
  await open.deliver(service.confirmed(1), service.chain('transaction'));
  const hashStates = new HashStates(recordsOf(open.db));
  const { network, blockchainHash } = DUE;
  const weight = hashStates.arrivedAt(network, blockchainHash);
  expect(weight).toBe(arrivedWeight(hashStates.of(network, blockchainHash)));
  expect(Math.floor(weight)).toBe(5);
});

test('hashes count while they are asked for, and are read again only when two periods have passed', async () => {
  const open = await openLedger();
  await open.deliver(new Service().confirmed(1));
  const records = recordsOf(open.db);
  let reads = 0;
  const hashStates = new HashStates({
    hashState: (network, hash) => {
      reads += 1;
      return records.hashState(network, hash);
    },
    deposit: (id) => records.deposit(id),
    withdrawal: (id) => records.withdrawal(id),
    ownHashesOf: (id) => records.ownHashesOf(id),
  });
  const [{ network, blockchain_hash: hash } = { network: '', blockchain_hash: '' }] =
    open.deposits();
  const ask = (): number => {
    hashStates.of(NetworkKey(network), BlockchainHash(hash));
    return hashStates.size;
  };
  const asked = ask();
  expect(asked).toBeGreaterThan(0);
  hashStates.age();
  expect([hashStates.size, ask(), reads]).toEqual([0, asked, 1]);
  hashStates.age();
  hashStates.age();
  expect([ask(), reads]).toEqual([asked, 2]);
});

/** How many caches, one for each network, are still needed: the look collects the others. */
function caches(): number {
  return queryObjects(TwoPeriodCache, { format: 'count' });
}

test('invented networks are evicted together with their requests', async () => {
  const hashStates = await emptyHashStates();
  const hash = BlockchainHash('0xa1');
  const askFor = (period: number): void => {
    for (let at = 0; at < 10_000; at += 1)
      hashStates.of(NetworkKey(`made-up-${period}-${at}`), hash);
    hashStates.age();
  };
  askFor(0);
  hashStates.age();
  const before = caches();
  askFor(1);
  expect(caches()).toBe(before + 10_000);
  hashStates.age();
  expect(caches()).toBe(before);
});
