import { hash } from 'node:crypto';
import { breakKey, finding } from '../../domain/break/break.ts';
import { changedSince, withoutBasis } from '../../domain/fact/basis.ts';
import { quarantineParts } from '../../domain/fact/quarantined.ts';
import { NO_POLICY } from '../../domain/policy/policy.ts';
import { exceededHashLimit } from '../../domain/hash/hash-limits.ts';
import { handleNotification } from '../../domain/fact/notification-handler.ts';
import type { KeyedHashState } from '../../domain/hash/hash-state.ts';
import type { EntrySource } from '../../domain/money/entry.ts';
import type { Fact, IntakeStatus } from '../../domain/fact/fact.ts';
import { IdMint, type AssetId } from '../../domain/ids.ts';
import type { Notification } from '../../domain/fact/notification.ts';
import type { Withdrawal } from '../../domain/withdrawal/withdrawal.ts';
import { CustodyHandler } from './custody-handler.ts';
import { DecisionHandler, type RetryDecision } from './decision-handler.ts';
import { refused, type DecisionOutcome, type Now } from './handler-context.ts';
import { encodeFact } from '../codec/fact.ts';
import { bodyDigest } from './body-digest.ts';
import { idDigest } from '../unit/id-digest.ts';
import {
  type DecodeBody,
  type FactOutcome,
  type RecordSource,
  StoreFailed,
  type Writes,
} from '../port.ts';
import { UnitOfWork } from '../unit/unit-of-work.ts';

/** How many records are read until older ones are forgotten. About twice as many are in memory. */
const ASKED_FOR_MAX = 25_000;

/** One object per outcome: thousands a second are copied to another thread, each object once a batch. */
const DELIVERED = {
  accepted: { kind: 'delivery', status: 'accepted' },
  duplicate: { kind: 'delivery', status: 'duplicate' },
  quarantined: { kind: 'delivery', status: 'quarantined' },
  refused: { kind: 'delivery', status: 'refused' },
} as const;

type FactOf<Kind extends Fact['kind']> = Extract<Fact, { kind: Kind }>;

/**
 * Applies facts to the records of a store: reads what a rule needs, calls the rule, journals the
 * fact and applies the rule's changes. Intake, reconciliation, operators and replay all use it, over
 * any store. The rules are in `domain/`.
 */
export class Bookkeeper {
  readonly #unit: UnitOfWork;
  readonly #source: RecordSource;
  readonly #write: (writes: Writes) => void;
  readonly #decode: DecodeBody;
  readonly #askedForMax: number;
  readonly #replays: boolean;
  readonly #custody: CustodyHandler;
  readonly #decisions: DecisionHandler;
  /** Rules call this. */
  readonly #pinnedDecimals = (asset: AssetId): number | undefined => {
    try {
      return this.#unit.pinnedDecimals(asset);
    } catch (cause) {
      throw new StoreFailed(cause);
    }
  };

  constructor(options: {
    source: RecordSource;
    /** The last journal position. The next fact gets the one after it. */
    journalHead: number;
    write: (writes: Writes) => void;
    decode: DecodeBody;
    /** How many records are read before `tidy` forgets older ones. */
    askedForMax?: number | undefined;
    /** The facts come from a journal: today’s limits do not apply to facts that were booked before. */
    replays?: boolean | undefined;
  }) {
    this.#source = options.source;
    this.#write = options.write;
    this.#decode = options.decode;
    this.#replays = options.replays ?? false;
    this.#askedForMax = options.askedForMax ?? ASKED_FOR_MAX;
    this.#unit = new UnitOfWork(options.source, options.journalHead);
    const context = { unit: this.#unit, source: this.#source, flush: () => this.flush() };
    this.#custody = new CustodyHandler(context);
    this.#decisions = new DecisionHandler(context, (decision, now) => this.#retry(decision, now));
  }

  /** Writes pending changes, so that scans of the store see them. */
  flush(): void {
    this.#write(this.#unit.takeWrites());
  }

  /** The journal position of the next fact. */
  get nextSeq(): number {
    return this.#unit.nextSeq;
  }

  /** Between transactions: forgets records that were not read recently. */
  tidy(): void {
    if (this.#unit.size > this.#askedForMax) this.#unit.age();
  }

  take(fact: Fact): FactOutcome {
    switch (fact.kind) {
      case 'notification':
        return this.#delivery(this.#takeNotification(fact));
      case 'quarantined':
        return this.#delivery(this.#takeUnreadable(fact));
      case 'refused':
        return this.#delivery(this.#takeRefused(fact));
      case 'custody-record':
        return this.#takeRecord(fact);
      case 'decision': {
        const now = this.#ruleContext(fact.at, 'decision');
        const { decision } = fact;
        const effective = this.#replays ? { ...fact, decision: withoutBasis(decision) } : fact;
        const taken = this.#decisions.take(effective, now);
        return taken.kind === 'taken' ? { ...taken, seq: this.#journal(fact) } : taken;
      }
      default:
        return fact satisfies never;
    }
  }

  #takeRecord(fact: FactOf<'custody-record'>): FactOutcome {
    const changed = this.#custody.take(fact, this.#ruleContext(fact.at, 'api'));
    return changed ? { kind: 'taken', seq: this.#journal(fact) } : { kind: 'unchanged' };
  }

  #delivery(status: IntakeStatus | 'refused'): FactOutcome {
    this.#unit.count(status);
    return DELIVERED[status];
  }

  #ruleContext(at: number, source: EntrySource): Now {
    const seq = this.#unit.nextSeq;
    return {
      at,
      seq,
      source,
      mint: new IdMint(seq, idDigest),
      policy: this.#unit.policy()?.policy ?? NO_POLICY,
      pinnedDecimals: this.#pinnedDecimals,
    };
  }

  #journal(fact: Fact): number {
    const seq = this.#unit.nextSeq;
    const { kind, recordedAt, detail, body } = encodeFact(fact);
    this.#unit.journal({ seq, kind, recordedAt, detail, body });
    return seq;
  }

  /** Whether the earlier fact of an id had the same content. */
  #saidBefore(seq: number, raw: Uint8Array): boolean {
    const before = this.#unit.body(seq);
    if (before === undefined) throw new Error(`journal position ${seq} is not there`);
    return Buffer.compare(before, raw) === 0 || bodyDigest(before) === bodyDigest(raw);
  }

  #takeNotification(fact: FactOf<'notification'>): IntakeStatus {
    const { notification, at, raw } = fact;
    const seen = this.#unit.seen(notification.id);
    if (seen !== undefined) {
      return this.#saidBefore(seen, raw) ? 'duplicate' : this.#keepConflict(fact, notification.id);
    }
    const now = this.#ruleContext(at, 'webhook');
    const decided = this.#handle(notification, now, !this.#replays);
    if ('defect' in decided) {
      const { defect } = decided;
      return this.#takeUnreadable({ kind: 'quarantined', at, raw, id: notification.id, defect });
    }
    const seq = this.#journal(fact);
    this.#unit.record({
      seq,
      id: notification.id,
      status: decided.status,
      notification,
      receivedAt: at,
    });
    this.#unit.apply(decided.changes, now);
    return decided.status;
  }

  /**
   * A rule that throws is a bug. It must not block the vault's queue or lose the body, so the
   * notification is quarantined. `bounded`: a hash with too many records takes no more; a replay
   * ignores that limit.
   */
  #handle(notification: Notification, now: Now, bounded: boolean) {
    const withdrawal =
      notification.stream === 'outgoing'
        ? this.#unit.withdrawal(notification.transactionId)
        : undefined;
    const hashes = this.#hashesOf(notification, withdrawal);
    const [first] = hashes;
    try {
      if (bounded && first !== undefined) {
        const arrived = this.#unit.arrivedAt(first.network, first.blockchainHash);
        const exceeded = exceededHashLimit(first, arrived, notification);
        if (exceeded !== null) return { defect: exceeded };
      }
      return handleNotification(hashes, withdrawal, { notification, now });
    } catch (error) {
      if (error instanceof StoreFailed) throw error.cause;
      return {
        defect: `a rule failed on it: ${error instanceof Error ? error.message : 'unknown'}`,
      };
    }
  }

  /** The state of the notification's hash, then the state of its withdrawal's hash. */
  #hashesOf(notification: Notification, withdrawal: Withdrawal | undefined): KeyedHashState[] {
    // A `failed` event may name no hash although an earlier event did.
    const named = {
      network: notification.network ?? withdrawal?.network ?? null,
      blockchainHash: notification.blockchainHash ?? withdrawal?.blockchainHash ?? null,
    };
    return this.#unit.hashStatesOf(withdrawal === undefined ? [named] : [named, withdrawal]);
  }

  #takeUnreadable(fact: FactOf<'quarantined'>): IntakeStatus {
    const seen = this.#unit.seen(fact.id);
    if (seen !== undefined) {
      return this.#saidBefore(seen, fact.raw) ? 'duplicate' : this.#keepConflict(fact, fact.id);
    }
    const seq = this.#journal(fact);
    const { id, raw, defect, at } = fact;
    this.#unit.record({
      seq,
      id,
      status: 'quarantined',
      notification: null,
      receivedAt: at,
    });
    this.#keepAside({ seq, id, digest: bodyDigest(raw), defect, at });
    this.#unit.find(
      finding('quarantined', {
        key: breakKey('quarantined', id),
        detail: `notification ${JSON.stringify(id)} was not understood (${defect}): kept as ${quarantineIdOf(seq)}, retry it after an upgrade`,
      }),
      { seq, at, mint: new IdMint(seq, idDigest) },
    );
    return 'quarantined';
  }

  /** Another body under an id that is taken: the first wins; the second is quarantined and reported. */
  #keepConflict(fact: FactOf<'notification' | 'quarantined'>, id: string): IntakeStatus {
    const digest = bodyDigest(fact.raw);
    if (this.#unit.keptAside(id, digest)) return 'duplicate';
    const seq = this.#journal(fact);
    const defect = 'another body arrived under this id before';
    this.#keepAside({ seq, id, digest, defect, at: fact.at });
    this.#unit.find(
      finding('id_conflict', {
        key: breakKey('id_conflict', id),
        detail: `notification ${JSON.stringify(id)} arrived again with another body: the first stands, the second is kept as ${quarantineIdOf(seq)}`,
      }),
      { seq, at: fact.at, mint: new IdMint(seq, idDigest) },
    );
    return 'quarantined';
  }

  #keepAside(row: { seq: number; id: string; digest: string; defect: string; at: number }): void {
    this.#unit.putQuarantine({
      quarantineId: quarantineIdOf(row.seq),
      seq: row.seq,
      notificationId: row.id,
      digest: row.digest,
      defect: row.defect,
      state: 'kept',
      receivedAt: row.at,
      retriedAt: null,
    });
  }

  #takeRefused(fact: FactOf<'refused'>): 'refused' {
    const seq = this.#journal(fact);
    this.#unit.find(
      finding('malformed', {
        key: breakKey('malformed', hash('sha256', fact.raw)),
        detail: `a delivery was refused (400): ${fact.defect}; its first bytes are at journal position ${seq}`,
      }),
      { seq, at: fact.at, mint: new IdMint(seq, idDigest) },
    );
    return 'refused';
  }

  /** Takes a quarantined body again. If it can be read now, it takes effect as if it arrived now. */
  #retry({ quarantineId, basis }: RetryDecision, now: Now): DecisionOutcome {
    this.flush();
    const kept = this.#source.quarantine(quarantineId);
    if (kept === undefined)
      return refused(
        'not_found',
        `There is no quarantined body ${quarantineId}: list them with GET /v1/quarantine.`,
      );
    const stale = changedSince(quarantineParts(kept), basis);
    if (stale !== null) return refused('conflict', stale);
    if (kept.state === 'retried') return refused('conflict', 'it was retried already');
    const decoded = this.#decode(kept.body);
    if (decoded.kind !== 'notification')
      return refused('conflict', `it is still not understood: ${decoded.defect}`);
    const seen = this.#unit.seen(decoded.notification.id);
    if (seen !== undefined && !this.#saidBefore(seen, kept.body)) {
      return refused('conflict', 'another body has its id');
    }
    const decided = this.#handle(decoded.notification, { ...now, source: 'webhook' }, false);
    if ('defect' in decided) return refused('conflict', decided.defect);
    this.#unit.apply(decided.changes, now);
    const { body: _, ...row } = kept;
    this.#unit.putQuarantine({ ...row, state: 'retried', retriedAt: now.at });
    this.#unit.heal(breakKey('quarantined', kept.notificationId), 'retried and understood', now);
    return { kind: 'taken', status: decided.status };
  }
}

/** The id of a quarantined body, from the journal position of its fact. */
function quarantineIdOf(seq: number): string {
  return `qtn_${seq}`;
}
