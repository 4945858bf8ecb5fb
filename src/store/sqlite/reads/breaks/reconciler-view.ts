import type { Kysely } from 'kysely';
import {
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
  type HashKey,
} from '../../../../domain/ids.ts';
import type { Deposit } from '../../../../domain/deposit/deposit.ts';
import { isShownAt } from '../../../../domain/deposit/record/comparison.ts';
import type { Withdrawal } from '../../../../domain/withdrawal/withdrawal.ts';
import type { LastRollback, Received, ReconcilerView } from '../../../reconciler-view.ts';
import type { Reads } from '../../../reads.ts';
import type { KeyLookup } from '../../keys/key-lookup.ts';
import { depositOf } from '../../table/rows/deposit-row.ts';
import { sightingOf } from '../../table/rows/sighting-row.ts';
import { ownHashOf, withdrawalOf } from '../../table/rows/withdrawal-row.ts';
import type { Tables } from '../../table/tables.ts';
import { readOpenBreaks } from './breaks.ts';
import { readExemptDifferences, readExemptions } from './exemptions.ts';
import { atSnapshot, inBatches } from '../list.ts';
import { readPinnedDecimals, readPolicy } from '../policy.ts';
import { readUnsentTransfers } from '../withdrawals/withdrawals.ts';

type HashStates = ReconcilerView['hashStates'];
type HashState = HashStates[number];

/** A hash state whose lists are still being filled. */
interface Growing extends HashKey {
  readonly sightings: HashState['sightings'][number][];
  readonly deposits: HashState['deposits'][number][];
  readonly withdrawals: HashState['withdrawals'][number][];
  readonly ownHashes: HashState['ownHashes'][number][];
}

function keyOf(network: string, hash: string): string {
  return JSON.stringify([network, hash]);
}

/**
 * The last rollbacks after a journal position, of hashes that were ever rolled back. Of webhooks a
 * repeat counts too: it may be the true one, after a forged one. A rollback that was retried from the
 * quarantine, or backfilled, is known by the entry that it reversed. A correction reverses an entry
 * too: it counts, which costs one more reading. So does every retry, because one
 * that finds no entry to reverse leaves no other trace of its hash.
 */
async function rollbacksAt(
  at: Kysely<Tables>,
  { hashStates, after }: { hashStates: HashStates; after: number | undefined },
  keys: KeyLookup,
): Promise<ReconcilerView['rollbacks']> {
  if (after === undefined) return [];
  const found: LastRollback[] = [];
  const returned = hashStates.filter(({ sightings }) => sightings.some(({ epoch }) => epoch > 0));
  for (const batch of inBatches(returned.map((one) => one.blockchainHash))) {
    const hashIds = batch.flatMap((hash) => keys.hashIds(hash));
    const webhooks = at
      .selectFrom('notifications as rolled')
      .innerJoin('hashes', 'hashes.hash_id', 'rolled.hash_id')
      .where('rolled.hash_id', 'in', hashIds)
      .where('rolled.seq', '>', after)
      .where('rolled.stream', '=', 'incoming')
      .where('rolled.type', '=', 'rollback')
      .groupBy(['rolled.hash_id', 'rolled.vault_id', 'rolled.transaction_id', 'rolled.status'])
      .select(['hashes.network', 'hashes.blockchain_hash', 'rolled.status'])
      .select(['rolled.vault_id', 'rolled.transaction_id'])
      .select(({ fn }) => fn.max('rolled.seq').as('seq'));
    const reversed = at
      .selectFrom('entries as rolled')
      .where('rolled.hash_id', 'in', hashIds)
      .where('rolled.seq', '>', after)
      .where('rolled.cause', '=', 'incoming')
      .where('rolled.reverses', 'is not', null)
      .groupBy(['rolled.hash_id', 'rolled.vault_id', 'rolled.transaction_id'])
      .select(['rolled.network', 'rolled.blockchain_hash'])
      .select(['rolled.vault_id', 'rolled.transaction_id'])
      .select(({ fn }) => fn.max('rolled.seq').as('seq'));
    const rolledBack = (await reversed.execute()).map((row) => ({ ...row, status: null }));
    for (const row of [...(await webhooks.execute()), ...rolledBack]) {
      found.push({
        network: NetworkKey(row.network),
        blockchainHash: BlockchainHash(row.blockchain_hash),
        vaultId: VaultId(row.vault_id ?? ''),
        transactionId: row.transaction_id === null ? null : TransactionId(row.transaction_id),
        seq: row.seq,
        isRepeat: row.status === 'duplicate',
      });
    }
  }
  const retry = returned.length === 0 ? null : await lastRetry(at, after);
  return retry === null ? found : [...found, ...returned.flatMap(rolledBackBy(retry))];
}

/**
 * The position of the last retry from the quarantine after a position, or null. A retried
 * notification has the time of the decision that retried it.
 */
async function lastRetry(db: Kysely<Tables>, after: number): Promise<number | null> {
  const retried = db.selectFrom('quarantine').where('state', '=', 'retried');
  const { count } = await retried
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count === 0) return null;
  const last = await db
    .selectFrom('journal')
    .where('kind', '=', 'decision')
    .where('seq', '>', after)
    .where('recorded_at', 'in', retried.select('retried_at'))
    .select(({ fn }) => fn.max<number | null>('seq').as('seq'))
    .executeTakeFirst();
  return last?.seq ?? null;
}

/** A rollback by a retry at this position, in each vault where the hash was ever rolled back. */
function rolledBackBy(seq: number) {
  return ({ network, blockchainHash, sightings }: HashState): ReconcilerView['rollbacks'] => {
    const returned = sightings.filter(({ epoch }) => epoch > 0);
    const vaultIds = new Set(returned.map(({ vaultId }) => vaultId));
    return [...vaultIds].map((vaultId) => ({
      network,
      blockchainHash,
      vaultId,
      transactionId: null,
      seq,
      isRepeat: false,
    }));
  };
}

/** The state of each hash, in the given order; an unknown hash has empty lists. */
async function hashStatesAt(
  at: Kysely<Tables>,
  hashes: readonly HashKey[],
  keys: KeyLookup,
): Promise<HashStates> {
  const hashStates = new Map<string, Growing>();
  for (const { network, blockchainHash } of hashes) {
    const empty = { sightings: [], deposits: [], withdrawals: [], ownHashes: [] };
    hashStates.set(keyOf(network, blockchainHash), { network, blockchainHash, ...empty });
  }
  const asked = [...new Set(hashes.map((one) => one.blockchainHash))];
  for (const batch of inBatches(asked)) {
    const hashIds = batch.flatMap((hash) => keys.hashIds(hash));
    const sightings = at
      .selectFrom('sightings')
      .innerJoin('hashes', 'hashes.hash_id', 'sightings.hash_id')
      .where('sightings.hash_id', 'in', hashIds)
      .selectAll('sightings')
      .select(['hashes.network', 'hashes.blockchain_hash']);
    for (const row of await sightings.execute()) {
      hashStates.get(keyOf(row.network, row.blockchain_hash))?.sightings.push(sightingOf(row));
    }
    const deposits = at.selectFrom('deposits').where('hash_id', 'in', hashIds).selectAll();
    for (const row of await deposits.orderBy('hash_id').orderBy('deposit_id').execute()) {
      hashStates.get(keyOf(row.network, row.blockchain_hash))?.deposits.push(depositOf(row));
    }
    const withdrawals = at.selectFrom('withdrawals').where('hash_id', 'in', hashIds);
    for (const row of await withdrawals.selectAll().orderBy('transaction_id').execute()) {
      const key = keyOf(row.network ?? '', row.blockchain_hash ?? '');
      hashStates.get(key)?.withdrawals.push(withdrawalOf(row));
    }
    const owns = at.selectFrom('own_hashes').where('hash_id', 'in', hashIds);
    for (const row of await owns.selectAll().orderBy('transaction_id').execute()) {
      hashStates.get(keyOf(row.network, row.blockchain_hash))?.ownHashes.push(ownHashOf(row));
    }
  }
  return [...hashStates.values()];
}

/** Deposits of these transactions that were verified or credited at another hash or position. */
async function verifiedElsewhereAt(
  at: Kysely<Tables>,
  received: readonly Received[],
): Promise<Deposit[]> {
  const shownAt = new Map(received.map((one) => [one.transactionId, one]));
  const found: Deposit[] = [];
  for (const batch of inBatches([...shownAt.keys()])) {
    const rows = at
      .selectFrom('deposits')
      .where('transaction_id', 'in', batch)
      .where((eb) => eb.or([eb('credit_id', 'is not', null), eb('verified_at', 'is not', null)]));
    for (const row of await rows.selectAll().execute()) {
      const deposit = depositOf(row);
      const { transactionId } = deposit;
      const shown = transactionId === null ? undefined : shownAt.get(transactionId);
      if (shown !== undefined && !isShownAt(deposit, shown)) found.push(deposit);
    }
  }
  return found;
}

async function withdrawalsAt(
  at: Kysely<Tables>,
  transactionIds: readonly TransactionId[],
): Promise<Withdrawal[]> {
  const found: Withdrawal[] = [];
  for (const batch of inBatches([...new Set(transactionIds)])) {
    const rows = at.selectFrom('withdrawals').where('transaction_id', 'in', batch);
    found.push(...(await rows.selectAll().execute()).map(withdrawalOf));
  }
  return found;
}

/** Every hash that one of the transactions has or is claimed to have. */
async function ownHashesAt(
  at: Kysely<Tables>,
  transactionIds: readonly TransactionId[],
): Promise<HashKey[]> {
  const found: HashKey[] = [];
  for (const batch of inBatches([...new Set(transactionIds)])) {
    const rows = at.selectFrom('own_hashes').where('transaction_id', 'in', batch);
    found.push(...(await rows.selectAll().execute()).map(ownHashOf));
  }
  return found;
}

/** The store's side of a comparison, at one snapshot. */
export function readReconcilerView(
  db: Kysely<Tables>,
  about: Parameters<Reads['reconcilerView']>[0],
  keys: KeyLookup,
): Promise<ReconcilerView> {
  return atSnapshot(db, async (at) => {
    const own = await ownHashesAt(at, about.transactionIds);
    const hashStates = await hashStatesAt(at, [...about.hashes, ...own], keys);
    return {
      hashStates,
      rollbacks: await rollbacksAt(at, { hashStates, after: about.rolledBackAfter }, keys),
      verifiedElsewhere: await verifiedElsewhereAt(at, about.received ?? []),
      withdrawals: await withdrawalsAt(at, about.transactionIds),
      unsent: about.unsent === true ? await readUnsentTransfers(at) : [],
      openBreaks: await readOpenBreaks(at),
      pinnedDecimals: await readPinnedDecimals(at),
      policy: (await readPolicy(at))?.policy ?? null,
      exemptions: await readExemptions(at),
      exempt: await readExemptDifferences(at),
    };
  });
}
