import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Amount } from '../../src/domain/amount.ts';
import type { CreditingPolicy } from '../../src/domain/crediting.ts';
import type { CustodyRecord } from '../../src/domain/custody.ts';
import type { ExemptionRule } from '../../src/domain/exemption.ts';
import type { Fact } from '../../src/domain/fact.ts';
import type { CloseRecord, CustodyReading } from '../../src/domain/close-record.ts';
import {
  AssetId,
  BlockchainHash,
  BreakId,
  CreditId,
  DepositId,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../src/domain/ids.ts';
import { decode } from '../../src/intake/decode.ts';
import { checkKeys } from '../../src/store/sqlite/audit-keys.ts';
import { compareProjections } from '../../src/store/sqlite/audit.ts';
import { SqliteLedger } from '../../src/store/sqlite/sqlite-ledger.ts';
import { SqliteReads } from '../../src/store/sqlite/sqlite-reads.ts';
import type {
  DepositRow,
  EntryRow,
  MovementRow,
  OwnHashRow,
  PostingRow,
  WithdrawalRow,
} from '../../src/store/sqlite/tables.ts';
import { verify } from '../../src/store/sqlite/verify.ts';
import { choices, Choices } from './choices.ts';
import { closeOf, closesOf, dayNumber, unsoundCloses } from './closing.ts';
import { CustodyWitness } from './custody-witness.ts';
import { sent } from './evidence.ts';
import { factOf, OpenLedger, SIX_DEEP, START, temporaryPath } from './open-ledger.ts';
import { Storyteller, type SmallWorld } from './small-world.ts';

const POLICIES: readonly CreditingPolicy[] = [
  SIX_DEEP,
  { ...SIX_DEEP, default: { confirmations: 6, oneApprovalAbove: Amount(50n) } },
  { ...SIX_DEEP, default: { confirmations: 6, halted: true } },
  { ...SIX_DEEP, default: { confirmations: 6, minimumAmount: Amount(80n) } },
];

const REASON = 'because';

const ANY = { until: START + 60_000, reason: REASON, owner: 'fin' };
const RULES: readonly (readonly ExemptionRule[])[] = [
  [],
  [
    {
      rule: 'credits',
      breakType: 'unexplained_movement',
      direction: '<=',
      amount: Amount(-1n),
      ...ANY,
    },
  ],
  [{ rule: 'early', network: 'ethereum', ...ANY, until: START + 20_000 }],
];

/** A few seconds on a quiet machine; a busy one must not fail what is only slow. */
const PATIENCE_MS = 120_000;
/** Ends a search for a smaller counterexample too; it is printed with its seed either way. */
const BOUNDED = { interruptAfterTimeLimit: 60_000 };

/** A daemon without a custody API. */
const LOCAL: CustodyReading = { kind: 'not_read', reason: 'no API', configured: false };

/** Plays a world into a ledger, one commit a fact, and remembers the facts. */
class Play {
  readonly open = new OpenLedger();
  readonly facts: Fact[] = [];
  readonly witness: CustodyWitness;
  readonly #choices: Choices;
  readonly #world: SmallWorld;
  readonly #delivered: object[] = [];
  #at = START;
  #closes = 0;
  #cutOffAt = START;
  #hasRules2 = false;
  readonly #reads = new SqliteReads(this.open.db);
  #prepared: { readonly record: CloseRecord; readonly preparation: string } | undefined;

  constructor(world: SmallWorld, from: Choices) {
    this.#world = world;
    this.#choices = from;
    this.witness = new CustodyWitness(this.open, world);
  }

  /** To the end, where the API knows of all that it ever denied. */
  async run(): Promise<void> {
    await this.#setPolicy(this.#choices.pick(POLICIES));
    for (const body of this.#choices.interleaved(this.#world.queues)) {
      await this.#deliver(body);
      if (this.#choices.oneIn(4)) await this.#deliver({ ...body, id: `${body.id}-again` });
      if (this.#choices.oneIn(4)) await this.#deliver(this.#choices.pick(this.#delivered));
      while (this.#choices.oneIn(2)) await this.#interfere();
      if (this.#choices.oneIn(6)) await this.#close();
    }
    // A deposit that was rolled back unseen leaves a world without a word.
    while (this.#delivered.length > 0 && this.#choices.oneIn(2)) {
      await this.#deliver(this.#choices.pick(this.#delivered));
    }
    for (const one of this.open.rows<WithdrawalRow>(
      "SELECT * FROM withdrawals WHERE custody = 'unknown'",
    )) {
      await this.#evidence(this.#recordOf(one));
    }
    await this.#run();
    await this.#close();
    await this.#closePrepared();
  }

  async #evidence(record: CustodyRecord): Promise<void> {
    await this.#take({ kind: 'custody-record', at: this.#now(), record });
  }

  /** The API's record of a transaction, as the notifications had it. */
  #recordOf({ transaction_id: id, status, ...row }: WithdrawalRow): CustodyRecord {
    const mined = this.facts.flatMap((fact) => {
      if (fact.kind !== 'notification' || fact.notification.stream !== 'outgoing') return [];
      const { transactionId, type, changes } = fact.notification;
      return transactionId === id && type === 'mined' ? [changes] : [];
    });
    const transaction = sent({
      transactionId: TransactionId(id),
      vaultId: VaultId(row.vault_id),
      status: status ?? 'requested',
      blockchainHash: row.blockchain_hash === null ? null : BlockchainHash(row.blockchain_hash),
      changes: mined[0] ?? null,
    });
    return { kind: 'outgoing', transaction, graceMs: 0 };
  }

  /** What the API says of a withdrawal: it has it, or not yet; or of what its hash moved. */
  async #aboutWithdrawal(): Promise<void> {
    const withdrawals = this.open.rows<WithdrawalRow>('SELECT * FROM withdrawals');
    const movements = this.open.rows<MovementRow>('SELECT * FROM movements');
    if (movements.length > 0 && this.#choices.oneIn(2)) {
      const { vault_id, network, blockchain_hash, asset, books } = this.#choices.pick(movements);
      const more = this.#choices.oneIn(4) ? 1n : 0n;
      return this.#evidence({
        kind: 'movement',
        vaultId: VaultId(vault_id),
        network: NetworkKey(network),
        blockchainHash: BlockchainHash(blockchain_hash),
        sums: [{ asset: AssetId(asset), amount: Amount(BigInt(books) + more) }],
      });
    }
    if (withdrawals.length === 0) return;
    const one = this.#choices.pick(withdrawals);
    const transactionId = TransactionId(one.transaction_id);
    const knows = this.#choices.oneIn(2);
    await this.#evidence(
      knows ? this.#recordOf(one) : { kind: 'unknown-transaction', transactionId },
    );
  }

  async #take(fact: Fact): Promise<void> {
    this.facts.push(fact);
    await this.open.commit([fact]);
    this.witness.see(fact);
  }

  #now(): number {
    this.#at += 1_000;
    return this.#at;
  }

  async #deliver(body: object): Promise<void> {
    this.#delivered.push(body);
    await this.#take(factOf(body, this.#now()));
  }

  async #setPolicy(policy: CreditingPolicy): Promise<void> {
    const [held] = this.open.rows<{ seq: number }>('SELECT max(seq) AS seq FROM policies');
    const replaces = held?.seq ?? 0;
    const decision = { kind: 'policy', source: 'api', policy, replaces, reason: REASON } as const;
    await this.#take({ kind: 'decision', at: this.#now(), actor: 'ann', decision });
  }

  async #setRules(rules: readonly ExemptionRule[]): Promise<void> {
    const decision = { kind: 'exemptions', rules } as const;
    await this.#take({ kind: 'decision', at: this.#now(), actor: 'config', decision });
  }

  async #run(): Promise<void> {
    const record = {
      kind: 'run',
      startedAt: this.#at,
      graceMs: 0,
      // A few facts old is old here: runs open and heal stale breaks, and raise others.
      ages: {
        stale: { depositMs: 4_000, withdrawalMs: 6_000 },
        escalation: { infoToWarningAfterMs: 3_000, warningToCriticalAfterMs: 5_000 },
      },
      custody: { matched: 0, broken: 0, exempt: {}, skipped: {} },
      requests: 0,
      watermark: null,
      incomplete: null,
    } as const;
    await this.#evidence(record);
  }

  /** Ends a day a little while ago, so that facts lie on both sides of the cut-off. */
  async #close(): Promise<void> {
    await this.#closePrepared();
    const at = this.#now();
    const cutOffAt = at - 1_500 - 1_000 * this.#choices.below(4);
    if (cutOffAt <= this.#cutOffAt) return;
    this.#cutOffAt = cutOffAt;
    const day = dayNumber(this.#closes);
    this.#closes += 1;
    const custody = { custody: this.#choices.oneIn(3) ? LOCAL : this.#custodyReading(at) };
    const explain = this.#choices.oneIn(3) ? {} : ({ exemptionsExplain: true } as const);
    // Once a day is closed under rules 2, no later one is closed under the rules before.
    this.#hasRules2 ||= this.#choices.oneIn(2);
    const rules = this.#hasRules2 ? ({ rules: 2 } as const) : {};
    const record = closeOf(this.open, { day, cutOffAt, ...explain, ...rules, ...custody });
    if (this.#choices.oneIn(3)) {
      await this.#take({ kind: 'custody-record', at, record });
      return;
    }
    // Worked out now; it is taken when the writer comes to it, after whatever else arrives.
    this.#prepared = { record, preparation: await this.#reads.prepareClose(record) };
  }

  async #closePrepared(): Promise<void> {
    if (this.#prepared === undefined) return;
    const { record, preparation } = this.#prepared;
    this.#prepared = undefined;
    const at = this.#now();
    const fact: Fact = { kind: 'custody-record', at, record };
    this.facts.push(fact);
    await this.open.commit([{ kind: 'prepared-close', at, record, preparation }]);
    this.witness.see(fact);
  }

  /** The custody API's word on some of the hashes, right or wrong. */
  #custodyReading(readAt: number): CustodyReading {
    const counted = this.open
      .deposits()
      .filter(() => this.#choices.oneIn(2))
      .map((deposit) => ({
        transactionId: TransactionId(deposit.transaction_id ?? deposit.deposit_id),
        vaultId: VaultId(deposit.vault_id),
        network: NetworkKey(deposit.network),
        blockchainHash: BlockchainHash(deposit.blockchain_hash),
        amounts: this.#choices.oneIn(4)
          ? []
          : [{ asset: AssetId(deposit.asset), amount: Amount(BigInt(deposit.amount)) }],
        updatedAt: readAt - 10_000,
        at: readAt - 1_000 * this.#choices.below(8),
        datedBy: this.#choices.pick(['block', 'custody'] as const),
        kind: deposit.change === 1 ? ('change' as const) : ('incoming' as const),
      }));
    return {
      kind: 'read',
      readAt,
      requests: 1,
      watermark: readAt,
      transactions: counted.length,
      unreadable: 0,
      counted: counted.filter(
        (one, index) =>
          counted.findIndex((two) => two.transactionId === one.transactionId) === index,
      ),
      pending: [],
    };
  }

  /** Something that is not a delivery: evidence, a run, a person, a consumer. */
  async #interfere(): Promise<void> {
    const way = this.#choices.below(10);
    if (way === 9) return this.#setRules(this.#choices.pick(RULES));
    if (way === 8) return this.#aboutWithdrawal();
    if (way === 6) return this.#run();
    if (way === 7) return this.#setPolicy(this.#choices.pick(POLICIES));
    const deposits = this.open.deposits();
    if (deposits.length === 0) return;
    const deposit = this.#choices.pick(deposits);
    const at = this.#now();
    if (way <= 3) {
      const record = this.witness.record(deposit, this.#choices);
      return this.#take({ kind: 'custody-record', at, record });
    }
    const actor = this.#choices.pick(['ann', 'bob']);
    const decision = way === 4 ? this.#aboutDeposit(deposit) : this.#aboutAnother();
    if (decision !== null) await this.#take({ kind: 'decision', at, actor, decision });
  }

  #aboutDeposit(deposit: DepositRow) {
    const depositId = DepositId(deposit.deposit_id);
    const kind = this.#choices.pick(['approve', 'hold', 'release', 'attribute'] as const);
    return kind === 'attribute'
      ? { kind, depositId, attributedTo: 'customer', endsApprovals: true, reason: REASON }
      : { kind, depositId, reason: REASON };
  }

  #aboutAnother() {
    const credit = this.open.feed().at(-1);
    const breaks = this.open.breaks();
    if (credit !== undefined && this.#choices.oneIn(2)) {
      const creditId = CreditId(credit.credit_id);
      return {
        kind: 'acknowledge',
        creditId,
        reference: this.#choices.pick(['r-1', 'r-2']),
      } as const;
    }
    if (breaks.length === 0) return null;
    // Resolving one of these posts; the many stale ones must not crowd them out.
    const posting = breaks.filter(({ type }) => type === 'unexplained_movement');
    const pool = posting.length > 0 && this.#choices.oneIn(2) ? posting : breaks;
    const breakId = BreakId(this.#choices.pick(pool).break_id);
    const kind = this.#choices.pick(['investigate', 'resolve', 'note', 'assign'] as const);
    if (kind === 'note') return { kind, breakId, note: REASON };
    if (kind !== 'assign') return { kind, breakId, reason: REASON };
    const assignee = this.#choices.pick(['ann', null]);
    return { kind, breakId, assignee, reason: REASON };
  }
}

/** Sums of what was posted, by anything but an operator's suspense entries. */
function postedBooks(open: OpenLedger): Map<string, bigint> {
  const lines = open.rows<{ name: string; amount: string }>(
    `SELECT rtrim(a.vault_id || '/' || account_id || '/' || address_id || '/' || memo, '/')
            || ' ' || asset AS name, amount
     FROM postings JOIN ledger_accounts a USING (ledger_account) JOIN entries USING (entry_id)
     WHERE a.view = 'books' AND kind = 'position' AND cause <> 'suspense'`,
  );
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
    const placeOf = (one: EntryRow | undefined) =>
      JSON.stringify([one?.vault_id, one?.network, one?.blockchain_hash, one?.view]);
    const mirrors =
      placeOf(entry) === placeOf(origin) &&
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

/** Deposits whose amount is not what stands in the books for them. */
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
     SELECT c.standing, c.count FROM movement_counts AS c
     WHERE c.standing <> 'unjudged'
       AND c.count <> (SELECT count(*) FROM movements AS m WHERE m.standing = c.standing)
     UNION ALL
     SELECT c.standing, c.count FROM movement_counts AS c
     WHERE c.standing = 'unjudged'
       AND c.count <> (SELECT count(*) FROM movements
                       WHERE judged = 'never' AND standing IN ('differs', 'chain_only'))
     UNION ALL
     SELECT vault_id || ' ' || status, count FROM (
       SELECT vault_id, status, count FROM notification_counts
       UNION ALL
       SELECT coalesce(vault_id, ''), status, -count(*) FROM notifications GROUP BY 1, 2)
     GROUP BY vault_id, status HAVING sum(count) <> 0
     UNION ALL
     SELECT type || ' ' || severity || ' ' || state, count FROM (
       SELECT type, severity, state, count FROM break_counts
       UNION ALL
       SELECT type, severity, state, -count(*) FROM breaks GROUP BY type, severity, state)
     GROUP BY type, severity, state HAVING sum(count) <> 0`,
  );
}

/** The same facts, cut into other commits. */
async function rebatched(facts: readonly Fact[], from: Choices): Promise<OpenLedger> {
  const open = new OpenLedger();
  for (let start = 0; start < facts.length;) {
    const size = 1 + from.below(12);
    await open.commit(facts.slice(start, start + size));
    start += size;
  }
  return open;
}

/**
 * The same facts where every third commit or so fails at its very end, or is the first after the
 * store was opened anew.
 */
async function throughTrouble(facts: readonly Fact[], from: Choices): Promise<OpenLedger> {
  const open = new OpenLedger();
  const reopened = (): SqliteLedger =>
    new SqliteLedger(open.db, {
      decode,
      now: () => START,
      keyTailMin: 1 + from.below(6),
      askedForMax: from.below(30),
    });
  let ledger = reopened();
  for (let start = 0; start < facts.length;) {
    const batch = facts.slice(start, start + 1 + from.below(12));
    if (from.oneIn(3)) {
      open.db.exec(
        `CREATE TRIGGER trouble BEFORE INSERT ON seals
         BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END`,
      );
      const isTaken = await ledger.commit(batch).then(
        ({ kind }) => kind === 'committed',
        (error: unknown) => !String(error).includes('the disk is gone'),
      );
      // What only repeats journals nothing, so that nothing of it can fail.
      open.db.exec('DROP TRIGGER trouble');
      if (isTaken) {
        start += batch.length;
        continue;
      }
    }
    if (from.oneIn(3)) ledger = reopened();
    await ledger.commit(batch);
    start += batch.length;
  }
  return open;
}

/** Everything that must hold of a ledger after a world was played into it. */
function expectSound(open: OpenLedger, world: SmallWorld): void {
  expect(unsoundEntries(open)).toEqual([]);
  expect(reversedTwice(open)).toEqual([]);
  expect(depositsOffBooks(open)).toEqual([]);
  expect(unsoundCloses(open)).toEqual([]);
  expect(miscounted(open)).toEqual([]);
  expect(postedBooks(open)).toEqual(world.books);
}

async function played(
  stream: readonly number[],
): Promise<{ play: Play; world: SmallWorld; from: Choices }> {
  const from = new Choices(stream);
  const world = new Storyteller(from).world();
  const play = new Play(world, from);
  await play.run();
  return { play, world, from };
}

test(
  'whatever arrives how often in which company: exact books, safe credits, one truth',
  async () => {
    const property = fc.asyncProperty(choices, async (stream) => {
      const { play, world } = await played(stream);
      expect(play.witness.wrongs).toEqual([]);
      expectSound(play.open, world);
      play.open.close();
    });
    await fc.assert(property, { numRuns: 120, ...BOUNDED });
  },
  PATIENCE_MS,
);

test(
  'how facts share commits changes nothing',
  async () => {
    const property = fc.asyncProperty(choices, async (stream) => {
      const { play, from } = await played(stream);
      const again = await rebatched(play.facts, from);
      expect(compareProjections(play.open.db, again.db).problems).toEqual([]);
      again.close();
      play.open.close();
    });
    await fc.assert(property, { numRuns: 60, ...BOUNDED });
  },
  PATIENCE_MS,
);

test(
  'commits that fail in the middle, and opening the store again, change nothing',
  async () => {
    const property = fc.asyncProperty(choices, async (stream) => {
      const { play, from } = await played(stream);
      const again = await throughTrouble(play.facts, from);
      expect(compareProjections(play.open.db, again.db).problems).toEqual([]);
      expect(checkKeys(again.db).problems).toEqual([]);
      again.close();
      play.open.close();
    });
    await fc.assert(property, { numRuns: 60, ...BOUNDED });
  },
  PATIENCE_MS,
);

test(
  'the audit of every store finds nothing, and its replay is the store',
  async () => {
    const path = temporaryPath();
    const progress = { start: () => undefined, tick: () => undefined, done: () => undefined };
    const property = fc.asyncProperty(choices, async (stream) => {
      const { play } = await played(stream);
      writeFileSync(path, play.open.db.serialize());
      const report = verify(path, { decode, progress });
      expect(
        report.checks.flatMap(({ check, problems }) => problems.map((one) => [check, one])),
      ).toEqual([]);
      play.open.close();
    });
    await fc.assert(property, { numRuns: 30, ...BOUNDED });
  },
  PATIENCE_MS,
);

test(
  'the worlds are worth playing: every kind of story is told',
  async () => {
    const seen = new Set<string>();
    for (const stream of fc.sample(choices, { numRuns: 240, seed: 7 })) {
      const { play } = await played(stream);
      for (const { state, reason } of play.open.deposits()) seen.add(reason ?? state);
      for (const { kind } of play.open.feed()) seen.add(kind);
      for (const { cause } of play.open.rows<EntryRow>('SELECT * FROM entries')) seen.add(cause);
      for (const { type } of play.open.breaks()) seen.add(type);
      for (const { parsed } of closesOf(play.open)) {
        for (const { reason } of parsed.priorDay) seen.add(reason);
        for (const { explanation } of parsed.differences) seen.add(explanation);
        for (const { kind, leg } of parsed.inTransit) {
          seen.add(`${kind} ${leg ?? 'leg'} in transit`);
        }
        if ((parsed.unconfirmed ?? []).length > 0) seen.add('unconfirmed');
        if ((parsed.custodyAfterCutOff ?? []).length > 0) seen.add('after the cut-off');
        for (const { datedBy } of parsed.priorDay) seen.add(`dated by ${datedBy ?? 'nothing'}`);
        seen.add(parsed.status);
      }
      for (const { standing } of play.open.rows<MovementRow>('SELECT * FROM movements')) {
        seen.add(standing);
      }
      for (const { standing } of play.open.rows<OwnHashRow>('SELECT * FROM own_hashes')) {
        seen.add(standing);
      }
      play.open.close();
    }
    const wanted = [
      'credit',
      'reversal',
      'internal',
      'rolled_back',
      'approval_required',
      'operator_hold',
    ];
    const more = [
      'unattributed_memo',
      'dust',
      'halted',
      'failed-fee',
      'amount_mismatch',
      'suspense',
      'reversal',
      'reclassified',
      'timing',
      'unexplained',
      'exempt',
      'internal leg in transit',
      'change leg in transit',
      'internal credit in transit',
      'internal debit in transit',
      'unconfirmed',
      'after the cut-off',
      'dated by delivery',
      'dated by block',
      'balanced with open differences',
      'exceptions',
      'balanced',
      'unknown_to_custody',
      'custody_agrees',
      'confirmed',
    ];
    expect([...wanted, ...more].filter((one) => !seen.has(one))).toEqual([]);
  },
  PATIENCE_MS,
);
