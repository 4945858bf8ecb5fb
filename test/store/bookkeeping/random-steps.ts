import { Amount } from '../../../src/domain/money/amount.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import type { CustodyRecord } from '../../../src/domain/fact/custody-record.ts';
import type { ExemptionRule } from '../../../src/domain/break/exemption.ts';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import type { CloseRecord, CustodyReading } from '../../../src/domain/close/record.ts';
import {
  AssetId,
  BlockchainHash,
  BreakId,
  CreditId,
  DepositId,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../src/domain/ids.ts';
import type { ComputedClose } from '../../../src/store/answers.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import type { DepositRow } from '../../../src/store/sqlite/table/rows/deposit-row.ts';
import type { MovementRow } from '../../../src/store/sqlite/table/rows/movement-row.ts';
import type { WithdrawalRow } from '../../../src/store/sqlite/table/rows/withdrawal-row.ts';
import { Choices } from '../generated-choices.ts';
import { closeOf, dayNumber } from '../close/closing.ts';
import { CustodyWitness } from '../custody-witness.ts';
import { sent } from '../evidence.ts';
import { factOf, OpenLedger, SIX_DEEP, START } from '../open-ledger.ts';
import { TrafficGenerator, type GeneratedTraffic } from '../generated-traffic.ts';

const POLICIES: readonly CreditingPolicy[] = [
  SIX_DEEP,
  { ...SIX_DEEP, default: { confirmations: 6, oneApprovalAbove: Amount(50n) } },
  { ...SIX_DEEP, default: { confirmations: 6, halted: true } },
  { ...SIX_DEEP, default: { confirmations: 6, minimumAmount: Amount(80n) } },
  { ...SIX_DEEP, vaults: ['v2'] },
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

/** A daemon without a custody API. */
const LOCAL: CustodyReading = { kind: 'not_read', reason: 'no API', configured: false };

/** Plays a world into a ledger, one commit a fact, and remembers the facts. */
export class RandomSteps {
  readonly open = new OpenLedger();
  readonly facts: Fact[] = [];
  readonly witness: CustodyWitness;
  readonly #choices: Choices;
  readonly #world: GeneratedTraffic;
  readonly #delivered: object[] = [];
  #at = START;
  #closes = 0;
  #cutOffAt = START;
  #hasRules2 = false;
  readonly #reads = new SqliteReads(this.open.db);
  #computed: { readonly record: CloseRecord; readonly day: ComputedClose } | undefined;

  constructor(world: GeneratedTraffic, from: Choices) {
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
    await this.#closeComputed();
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
        stale: { depositMs: 4_000, withdrawalMs: 6_000, reversals: true },
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
    await this.#closeComputed();
    const at = this.#now();
    const cutOffAt = at - 1_500 - 1_000 * this.#choices.below(4);
    if (cutOffAt <= this.#cutOffAt) return;
    this.#cutOffAt = cutOffAt;
    const day = dayNumber(this.#closes);
    this.#closes += 1;
    const custody = { custody: this.#choices.oneIn(3) ? LOCAL : this.#custodyReading(at) };
    const marks = { exemptionsExplain: true, carriesAfterCutOff: true } as const;
    const marked = this.#choices.oneIn(3) ? {} : marks;
    // Once a day is closed under rules 2, no later one is closed under the rules before.
    this.#hasRules2 ||= this.#choices.oneIn(2);
    const rules = this.#hasRules2 ? ({ rules: 2 } as const) : {};
    const record = closeOf(this.open, { day, cutOffAt, ...marked, ...rules, ...custody });
    if (this.#choices.oneIn(3)) {
      await this.#take({ kind: 'custody-record', at, record });
      return;
    }
    // Computed now; it is taken when the writer comes to it, after whatever else arrives.
    this.#computed = { record, day: await this.#reads.computeDay(record, at) };
  }

  async #closeComputed(): Promise<void> {
    if (this.#computed === undefined) return;
    const { record, day } = this.#computed;
    this.#computed = undefined;
    const { asOf, computed } = day;
    const at = this.#now();
    await this.#take({ kind: 'custody-record', at, record: { ...record, asOf }, computed });
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
    // Resolving one of these posts; pick one often, although there are many stale ones.
    const posting = breaks.filter(({ type }) => type === 'unexplained_movement');
    const pool = posting.length > 0 && this.#choices.oneIn(2) ? posting : breaks;
    const breakId = BreakId(this.#choices.pick(pool).break_id);
    const kind = this.#choices.pick(['investigate', 'resolve', 'note', 'assign'] as const);
    if (kind === 'note') return { kind, breakId, note: REASON };
    if (kind === 'resolve') {
      return { kind, breakId, reason: REASON, followsChain: true, takesBack: true } as const;
    }
    if (kind !== 'assign') return { kind, breakId, reason: REASON };
    const assignee = this.#choices.pick(['ann', null]);
    return { kind, breakId, assignee, reason: REASON };
  }
}

/** Plays the world that a stream of choices stands for. */
export async function played(
  stream: readonly number[],
): Promise<{ play: RandomSteps; world: GeneratedTraffic; from: Choices }> {
  const from = new Choices(stream);
  const world = new TrafficGenerator(from).world();
  const play = new RandomSteps(world, from);
  await play.run();
  return { play, world, from };
}
