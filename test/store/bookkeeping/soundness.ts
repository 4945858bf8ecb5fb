import { expect } from 'vitest';
import type { EntryRow, PostingRow } from '../../../src/store/sqlite/table/ledger-tables.ts';
import { unsoundCloses } from '../close/closing.ts';
import type { OpenLedger } from '../open-ledger.ts';
import type { GeneratedTraffic } from '../generated-traffic.ts';

/** What was posted on positions of the books, by anything but an operator's suspense entries. */
function bookLines(open: OpenLedger) {
  return open.rows<{ name: string; amount: string; source: EntryRow['source'] }>(
    `SELECT rtrim(a.vault_id || '/' || account_id || '/' || address_id || '/' || memo, '/')
            || ' ' || asset AS name, amount, source
     FROM postings JOIN ledger_accounts a USING (ledger_account) JOIN entries USING (entry_id)
     WHERE a.view = 'books' AND kind = 'position' AND cause <> 'suspense'`,
  );
}

/**
 * Positions that a person has taken a deposit from. The world does not know of the decision: it may
 * have taken back a true deposit that the API denied for a while.
 */
function takenBackPositions(open: OpenLedger): Set<string> {
  const taken = bookLines(open).filter(({ source }) => source === 'decision');
  return new Set(taken.map(({ name }) => name));
}

function postedBooks(open: OpenLedger): Map<string, bigint> {
  const lines = bookLines(open);
  const sums = new Map<string, bigint>();
  for (const { name, amount } of lines) sums.set(name, (sums.get(name) ?? 0n) + BigInt(amount));
  return new Map([...sums].filter(([, amount]) => amount !== 0n));
}

/** Entries that do not balance, or do not mirror what they reverse. */
function unsoundEntries(open: OpenLedger): string[] {
  const entries = open.rows<EntryRow>('SELECT * FROM entries');
  const postings = new Map<number, PostingRow[]>();
  for (const line of open.rows<PostingRow>('SELECT * FROM postings ORDER BY entry_id, line')) {
    postings.set(line.entry_id, [...(postings.get(line.entry_id) ?? []), line]);
  }
  const assets = new Map(
    open
      .rows<{ ledger_account: number; asset: string }>('SELECT * FROM ledger_accounts')
      .map((row) => [row.ledger_account, row.asset]),
  );
  const linesOf = (entry: number, sign: bigint): string[] =>
    (postings.get(entry) ?? []).map(
      (line) => `${line.ledger_account} ${sign * BigInt(line.amount)}`,
    );
  const byId = new Map(entries.map((entry) => [entry.entry_id, entry]));
  return entries.flatMap((entry) => {
    const sums = new Map<string, bigint>();
    for (const { ledger_account: account, amount } of postings.get(entry.entry_id) ?? []) {
      const asset = assets.get(account) ?? '?';
      sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(amount));
    }
    const lopsided = [...sums.values()].some((sum) => sum !== 0n);
    if (lopsided) return [`entry ${entry.entry_id} does not balance`];
    if (entry.reverses === null) return [];
    const origin = byId.get(entry.reverses);
    const cursorOf = (one: EntryRow | undefined) =>
      JSON.stringify([one?.vault_id, one?.network, one?.blockchain_hash, one?.view]);
    const mirrors =
      cursorOf(entry) === cursorOf(origin) &&
      linesOf(entry.entry_id, 1n).toSorted().join() ===
        linesOf(entry.reverses, -1n).toSorted().join();
    return mirrors ? [] : [`entry ${entry.entry_id} does not mirror entry ${entry.reverses}`];
  });
}

function reversedTwice(open: OpenLedger): unknown[] {
  return open.rows(
    'SELECT reverses FROM entries WHERE reverses IS NOT NULL GROUP BY reverses HAVING count(*) > 1',
  );
}

/** Deposits whose amount differs from their sum in the books. */
function depositsOffBooks(open: OpenLedger): string[] {
  return open.deposits().flatMap((deposit) => {
    const lines = open.rows<{ amount: string }>(
      `SELECT amount FROM postings JOIN entries e USING (entry_id)
       JOIN ledger_accounts a USING (ledger_account)
       WHERE cause = 'incoming' AND kind = 'position' AND blockchain_hash = ? AND a.vault_id = ?
         AND address_id = ? AND asset = ?`,
      deposit.blockchain_hash,
      deposit.vault_id,
      deposit.address_id ?? '',
      deposit.asset,
    );
    const booked = lines.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    const owed = deposit.evidence === 'confirmed' ? BigInt(deposit.amount) : 0n;
    return booked === owed ? [] : [`${deposit.deposit_id}: ${owed}, in the books ${booked}`];
  });
}

/** Counts that are kept with every commit, beside what is counted anew. */
function miscounted(open: OpenLedger): unknown[] {
  return open.rows(
    `SELECT c.state, c.count FROM deposit_counts AS c
     WHERE c.count <> (SELECT count(*) FROM deposits AS d WHERE d.state = c.state)
     UNION ALL
     SELECT c.agreement, c.count FROM movement_counts AS c
     WHERE c.agreement <> 'uncompared'
       AND c.count <> (SELECT count(*) FROM movements AS m WHERE m.agreement = c.agreement)
     UNION ALL
     SELECT c.agreement, c.count FROM movement_counts AS c
     WHERE c.agreement = 'uncompared'
       AND c.count <> (SELECT count(*) FROM movements
                       WHERE compared = 'never' AND agreement IN ('differs', 'chain_only'))
     UNION ALL
     SELECT vault_id || ' ' || status, count FROM (
       SELECT vault_id, status, count FROM notification_counts
       UNION ALL
       SELECT coalesce(vault_id, ''), status, -count(*) FROM notifications GROUP BY 1, 2)
     GROUP BY vault_id, status HAVING sum(count) <> 0
     UNION ALL
     SELECT 'newest ' || vault_id || ' ' || status, newest_seq FROM (
       SELECT vault_id, status, newest_seq FROM notification_counts
       EXCEPT
       SELECT coalesce(vault_id, ''), status, max(seq) FROM notifications GROUP BY 1, 2)
     UNION ALL
     SELECT 'before ' || seq, stored FROM (
       SELECT seq, previous_of_vault AS stored,
         lag(seq) OVER (PARTITION BY vault_id ORDER BY seq) AS previous
       FROM notifications)
     WHERE stored IS NOT previous
     UNION ALL
     SELECT type || ' ' || severity || ' ' || state, count FROM (
       SELECT type, severity, state, count FROM break_counts
       UNION ALL
       SELECT type, severity, state, -count(*) FROM breaks GROUP BY type, severity, state)
     GROUP BY type, severity, state HAVING sum(count) <> 0`,
  );
}

/** Everything that must hold of a ledger after a world was played into it. */
export function expectSound(open: OpenLedger, world: GeneratedTraffic): void {
  expect(unsoundEntries(open)).toEqual([]);
  expect(reversedTwice(open)).toEqual([]);
  expect(depositsOffBooks(open)).toEqual([]);
  expect(unsoundCloses(open)).toEqual([]);
  expect(miscounted(open)).toEqual([]);
  const taken = takenBackPositions(open);
  const untouched = (books: ReadonlyMap<string, bigint>) =>
    new Map([...books].filter(([name]) => !taken.has(name)));
  expect(untouched(postedBooks(open))).toEqual(untouched(world.books));
}
