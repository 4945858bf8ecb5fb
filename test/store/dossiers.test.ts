import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Database } from 'better-sqlite3';
import { expect, test } from 'vitest';
import { arrivedWeight } from '../../src/domain/crowd.ts';
import type { Deposit } from '../../src/domain/deposit.ts';
import { BlockchainHash, DepositId, NetworkKey } from '../../src/domain/ids.ts';
import { Dossiers } from '../../src/store/dossiers.ts';
import { KeyIndex } from '../../src/store/sqlite/key-index.ts';
import { SqliteRecords } from '../../src/store/sqlite/sqlite-records.ts';
import { TouchedHashes } from '../../src/store/sqlite/touched-hashes.ts';
import { chainView, DUE } from '../domain/records.ts';
import { balanceChange } from './evidence.ts';
import { openLedger } from './open-ledger.ts';
import { Service } from './webhook.ts';

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
  return new SqliteRecords(db, new KeyIndex(db), new TouchedHashes(0));
}

async function emptyDossiers(): Promise<Dossiers> {
  return new Dossiers(recordsOf((await openLedger()).db));
}

function idsIn(dossiers: Dossiers): string[] {
  return dossiers.of(DUE.network, DUE.blockchainHash).deposits.map(({ depositId }) => depositId);
}

test('the deposits of a hash stand by id, whatever the order in which they come', async () => {
  const dossiers = await emptyDossiers();
  for (const id of ['dep_5', 'dep_1', 'dep_9', 'dep_3', 'dep_1']) {
    dossiers.putDeposit({ ...DUE, depositId: DepositId(id) }, SEQ);
  }
  expect(idsIn(dossiers)).toEqual(['dep_1', 'dep_3', 'dep_5', 'dep_9']);
});

test('a deposit that is put again takes the place of what it was, and no other does', async () => {
  const dossiers = await emptyDossiers();
  const [one, other] = [DepositId('dep_1'), DepositId('dep_2')];
  dossiers.putDeposit({ ...DUE, depositId: other }, SEQ);
  dossiers.putDeposit({ ...DUE, depositId: one }, SEQ);
  dossiers.putDeposit({ ...DUE, depositId: one, confirmations: 9 }, SEQ);
  expect(dossiers.deposit(one)?.confirmations).toBe(9);
  expect(dossiers.deposit(other)?.confirmations).toBe(DUE.confirmations);
  expect(dossiers.deposit(DepositId('dep_3'))).toBeUndefined();
});

test('each of many deposits of a hash is found by a few looks', async () => {
  const dossiers = await emptyDossiers();
  const { deposits, looks } = watched();
  for (const deposit of deposits) {
    dossiers.nameHash(deposit.network, deposit.blockchainHash, SEQ);
    dossiers.putDeposit(deposit, SEQ);
  }
  expect(dossiers.takeWrites().deposits).toHaveLength(MANY);
  // Twice by halves, and once to see whether it is the one.
  const halves = Math.ceil(Math.log2(MANY));
  expect(looks()).toBeLessThanOrEqual(MANY * 2 * (halves + 2));
});

test('what arrived at a hash is weighed as it comes and as it is told again', async () => {
  const dossiers = await emptyDossiers();
  const { network, blockchainHash } = DUE;
  const changes = [balanceChange(1n), balanceChange(2n)];
  const weights = [
    () => dossiers.putDeposit(DUE, SEQ),
    () => dossiers.putDeposit({ ...DUE, confirmations: 9 }, SEQ),
    () => dossiers.putSighting(chainView({ posted: changes })),
    () => dossiers.putSighting(chainView({ posted: changes.slice(1) })),
  ].map((put) => {
    put();
    expect(dossiers.arrivedAt(network, blockchainHash)).toBeCloseTo(
      arrivedWeight(dossiers.of(network, blockchainHash)),
      6,
    );
    return Math.floor(dossiers.arrivedAt(network, blockchainHash));
  });
  expect(weights).toEqual([1, 1, 4, 3]);
});

test('what arrived at a hash weighs the same when it is read from the store', async () => {
  const open = await openLedger();
  const service = new Service();
  await open.deliver(service.confirmed(1), service.chain('transaction'));
  const dossiers = new Dossiers(recordsOf(open.db));
  const { network, blockchainHash } = DUE;
  const weight = dossiers.arrivedAt(network, blockchainHash);
  expect(weight).toBe(arrivedWeight(dossiers.of(network, blockchainHash)));
  expect(Math.floor(weight)).toBe(5);
});

test('hashes count while they are asked for, and are read again only when two periods have passed', async () => {
  const open = await openLedger();
  await open.deliver(new Service().confirmed(1));
  const records = recordsOf(open.db);
  let reads = 0;
  const dossiers = new Dossiers({
    dossier: (network, hash) => {
      reads += 1;
      return records.dossier(network, hash);
    },
    deposit: (id) => records.deposit(id),
    withdrawal: (id) => records.withdrawal(id),
    ownHashesOf: (id) => records.ownHashesOf(id),
  });
  const [{ network, blockchain_hash: hash } = { network: '', blockchain_hash: '' }] =
    open.deposits();
  const ask = (): number => {
    dossiers.of(NetworkKey(network), BlockchainHash(hash));
    return dossiers.size;
  };
  const asked = ask();
  expect(asked).toBeGreaterThan(0);
  dossiers.age();
  expect([dossiers.size, ask(), reads]).toEqual([0, asked, 1]);
  dossiers.age();
  dossiers.age();
  expect([ask(), reads]).toEqual([asked, 2]);
});

/** Bytes of what is still needed. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('networks that somebody makes up are let go of with what was asked for there', async () => {
  const dossiers = await emptyDossiers();
  const hash = BlockchainHash('0xa1');
  const askFor = (period: number): void => {
    for (let at = 0; at < 10_000; at += 1) dossiers.of(NetworkKey(`made-up-${period}-${at}`), hash);
    dossiers.age();
  };
  askFor(0);
  dossiers.age();
  const before = heapBytes();
  askFor(1);
  expect(heapBytes() - before).toBeGreaterThan(2_000_000);
  dossiers.age();
  expect(heapBytes() - before).toBeLessThan(500_000);
});
