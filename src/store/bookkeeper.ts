import { breakKey, finding } from '../domain/break.ts';
import { NO_POLICY } from '../domain/crediting.ts';
import { crowdAt } from '../domain/crowd.ts';
import { decideNotification } from '../domain/decide-notification.ts';
import type { Circumstances, HashDossier } from '../domain/dossier.ts';
import type { EntrySource } from '../domain/entry.ts';
import type { Fact, IntakeStatus } from '../domain/fact.ts';
import { IdMint, type AssetId } from '../domain/ids.ts';
import type { Notification } from '../domain/notification.ts';
import type { Withdrawal } from '../domain/withdrawal.ts';
import { CustodyDesk } from './custody-desk.ts';
import { DecisionDesk } from './decision-desk.ts';
import type { PackedBody } from './body-block.ts';
import { encodeFact } from './fact-codec.ts';
import { idDigest } from './id-digest.ts';
import { sha256 } from './seal.ts';
import type { DecodeBody, DecodedBody, Delivery, FactOutcome, Submission } from './port.ts';
import type { RecordSource, Writes } from './records.ts';
import { WorkingSet } from './working-set.ts';

/** Records that are asked for until others are let go: about twice as many are at hand. */
const ASKED_FOR_MAX = 25_000;

type FactOf<Kind extends Fact['kind']> = Extract<Fact, { kind: Kind }>;

/**
 * Applies facts to the records of a store: reads what a rule needs, lets the rule decide,
 * journals the fact and takes over its changes. The same code serves intake, reconciliation,
 * operators and replay, over any store; the rules themselves are in `domain/`.
 */
export class Bookkeeper {
  readonly #set: WorkingSet;
  readonly #source: RecordSource;
  readonly #write: (writes: Writes) => void;
  readonly #decode: DecodeBody;
  readonly #askedForMax: number;
  readonly #custody: CustodyDesk;
  readonly #decisions: DecisionDesk;
  readonly #pinnedDecimals = (asset: AssetId): number | undefined =>
    this.#set.pinnedDecimals(asset);

  constructor(options: {
    source: RecordSource;
    /** The last journalled position; facts taken here follow it. */
    journalHead: number;
    write: (writes: Writes) => void;
    decode: DecodeBody;
    /** How many records are asked for before `tidy` lets go of others. */
    askedForMax?: number | undefined;
  }) {
    this.#source = options.source;
    this.#write = options.write;
    this.#decode = options.decode;
    this.#askedForMax = options.askedForMax ?? ASKED_FOR_MAX;
    this.#set = new WorkingSet(options.source, options.journalHead);
    const desk = { set: this.#set, source: this.#source, flush: () => this.flush() };
    this.#custody = new CustodyDesk(desk);
    this.#decisions = new DecisionDesk(desk, (quarantineId, now) => this.#retry(quarantineId, now));
  }

  /** Writes what is pending; scans of the store see it from then on. */
  flush(): void {
    this.#write(this.#set.takeWrites());
  }

  /** The place that the next journalled fact will take. */
  get nextSeq(): number {
    return this.#set.nextSeq;
  }

  /** Between transactions: lets go of records that have not been asked for of late. */
  tidy(): void {
    if (this.#set.size > this.#askedForMax) this.#set.age();
  }

  take(fact: Submission): FactOutcome {
    switch (fact.kind) {
      case 'delivery':
        return this.#takeDelivery(fact);
      case 'notification':
        return this.#delivery(this.#takeNotification(fact));
      case 'quarantined':
        return this.#delivery(this.#takeUnreadable(fact));
      case 'refused':
        return this.#delivery(this.#takeRefused(fact));
      case 'custody-record':
        return this.#takeRecord(fact);
      case 'prepared-close': {
        const { at, record, preparation } = fact;
        return this.#takeRecord({ kind: 'custody-record', at, record }, preparation);
      }
      case 'decision': {
        const now = this.#circumstances(fact.at, 'decision');
        const taken = this.#decisions.take(fact, now);
        if (taken.kind !== 'taken') return taken;
        const seq = this.#journal(fact);
        return taken.status === undefined
          ? { kind: 'taken', seq }
          : { kind: 'taken', seq, status: taken.status };
      }
      default:
        return fact satisfies never;
    }
  }

  #takeRecord(fact: FactOf<'custody-record'>, preparation?: string): FactOutcome {
    const { record, at } = fact;
    const now = this.#circumstances(at, 'api');
    const changed =
      record.kind === 'close'
        ? this.#custody.close(record, { ...now, preparation })
        : this.#custody.take(record, now);
    return changed ? { kind: 'taken', seq: this.#journal(fact) } : { kind: 'unchanged' };
  }

  #delivery(status: IntakeStatus | 'refused'): FactOutcome {
    this.#set.count(status);
    return { kind: 'delivery', status };
  }

  #circumstances(at: number, source: EntrySource): Circumstances & { seq: number } {
    const seq = this.#set.nextSeq;
    return {
      at,
      seq,
      source,
      mint: new IdMint(seq, idDigest),
      policy: this.#set.policy()?.policy ?? NO_POLICY,
      pinnedDecimals: this.#pinnedDecimals,
    };
  }

  #journal(fact: Fact, packed?: PackedBody): number {
    const seq = this.#set.nextSeq;
    const { kind, recordedAt, detail, body } = encodeFact(fact);
    this.#set.journal({ seq, kind, recordedAt, detail, body, packed });
    return seq;
  }

  #takeDelivery({ at, raw, defect, packed, notification: read }: Delivery): FactOutcome {
    const decoded = read === undefined ? this.#decode(raw) : this.#asRead(raw, read);
    if (decoded.kind === 'malformed') return decoded;
    if (decoded.kind === 'quarantined') return this.take({ ...decoded, at, raw });
    const { notification, digest } = decoded;
    if (defect === undefined) {
      const fact = { kind: 'notification', at, raw, notification, digest } as const;
      return this.#delivery(this.#takeNotification(fact, { packed }));
    }
    return this.take({ kind: 'quarantined', at, raw, id: notification.id, digest, defect });
  }

  /** A body that was read on the way; for its digest, which is hardly ever asked for, it is read again. */
  #asRead(raw: Uint8Array, notification: Notification): DecodedBody {
    const digest = (): string => {
      const decoded = this.#decode(raw);
      if (decoded.kind === 'malformed') throw new Error(`it is no notification: ${decoded.defect}`);
      return decoded.digest();
    };
    return { kind: 'notification', notification, digest };
  }

  /** Whether the fact that took an id before was told with this content. */
  #saidBefore(seq: number, told: { readonly raw: Uint8Array; readonly digest: () => string }) {
    const raw = this.#set.body(seq);
    if (raw === undefined) throw new Error(`journal position ${seq} is not there`);
    if (Buffer.compare(raw, told.raw) === 0) return true;
    const before = this.#decode(raw);
    return before.kind !== 'malformed' && before.digest() === told.digest();
  }

  /** `arrived`: it is news, whose body may have been packed on the way, and not told by the journal. */
  #takeNotification(
    fact: FactOf<'notification'>,
    arrived?: { readonly packed: PackedBody | undefined },
  ): IntakeStatus {
    const { notification, digest, at } = fact;
    const seen = this.#set.seen(notification.id);
    if (seen !== undefined) {
      return this.#saidBefore(seen, fact) ? 'duplicate' : this.#keepConflict(fact, notification.id);
    }
    const now = this.#circumstances(at, 'webhook');
    const decided = this.#decide(notification, now, arrived !== undefined);
    if ('defect' in decided) {
      const { raw } = fact;
      const { defect } = decided;
      return this.#takeUnreadable({
        kind: 'quarantined',
        at,
        raw,
        id: notification.id,
        digest,
        defect,
      });
    }
    const seq = this.#journal(fact, arrived?.packed);
    this.#set.record({
      seq,
      id: notification.id,
      status: decided.status,
      notification,
      receivedAt: at,
    });
    this.#set.apply(decided.changes, now);
    return decided.status;
  }

  /**
   * A rule that throws is a bug; it must not block the vault's queue, nor lose the body. `bounded`:
   * where too much is known already nothing is added; what once was, is so in every replay.
   */
  #decide(notification: Notification, now: Circumstances & { seq: number }, bounded: boolean) {
    try {
      const withdrawal =
        notification.stream === 'outgoing'
          ? this.#set.withdrawal(notification.transactionId)
          : undefined;
      const hashes = this.#hashesOf(notification, withdrawal);
      const [told] = hashes;
      if (bounded && told !== undefined) {
        const arrived = this.#set.arrivedAt(told.network, told.blockchainHash);
        const crowd = crowdAt(told, arrived, notification);
        if (crowd !== null) return { defect: crowd };
      }
      return decideNotification(hashes, withdrawal, { notification, now });
    } catch (error) {
      if (isInfrastructure(error)) throw error;
      return {
        defect: `a rule failed on it: ${error instanceof Error ? error.message : 'unknown'}`,
      };
    }
  }

  /** Dossiers of the hash that a notification is about, first, and of the one its withdrawal has. */
  #hashesOf(notification: Notification, withdrawal: Withdrawal | undefined): HashDossier[] {
    // A `failed` may name no hash where an earlier event did.
    const told = {
      network: notification.network ?? withdrawal?.network ?? null,
      blockchainHash: notification.blockchainHash ?? withdrawal?.blockchainHash ?? null,
    };
    return this.#set.dossiersOf(withdrawal === undefined ? [told] : [told, withdrawal]);
  }

  #takeUnreadable(fact: FactOf<'quarantined'>): IntakeStatus {
    const seen = this.#set.seen(fact.id);
    if (seen !== undefined) {
      return this.#saidBefore(seen, fact) ? 'duplicate' : this.#keepConflict(fact, fact.id);
    }
    const seq = this.#journal(fact);
    const { id, digest, defect, at } = fact;
    this.#set.record({
      seq,
      id,
      status: 'quarantined',
      notification: null,
      receivedAt: at,
    });
    this.#keepAside({ seq, id, digest: digest(), defect, at });
    this.#set.find(
      finding('quarantined', {
        key: breakKey('quarantined', id),
        detail: `notification ${JSON.stringify(id)} was not understood (${defect}): kept as ${quarantineIdOf(seq)}, retry it after an upgrade`,
      }),
      { seq, at, mint: new IdMint(seq, idDigest) },
    );
    return 'quarantined';
  }

  /** Another body under an id already taken: the first wins, the second is kept and reported. */
  #keepConflict(fact: FactOf<'notification' | 'quarantined'>, id: string): IntakeStatus {
    const digest = fact.digest();
    if (this.#set.keptAside(id, digest)) return 'duplicate';
    const seq = this.#journal(fact);
    const defect = 'another body arrived under this id before';
    this.#keepAside({ seq, id, digest, defect, at: fact.at });
    this.#set.find(
      finding('id_conflict', {
        key: breakKey('id_conflict', id),
        detail: `notification ${JSON.stringify(id)} arrived again with another body: the first stands, the second is kept as ${quarantineIdOf(seq)}`,
      }),
      { seq, at: fact.at, mint: new IdMint(seq, idDigest) },
    );
    return 'quarantined';
  }

  #keepAside(row: { seq: number; id: string; digest: string; defect: string; at: number }): void {
    this.#set.putQuarantine({
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
    this.#set.find(
      finding('malformed', {
        key: breakKey('malformed', sha256(fact.raw).toString('hex')),
        detail: `a delivery was refused (400): ${fact.defect}; its first bytes are at journal position ${seq}`,
      }),
      { seq, at: fact.at, mint: new IdMint(seq, idDigest) },
    );
    return 'refused';
  }

  /**
   * Takes a quarantined body again, as a decision: when it reads now it takes effect as if it
   * arrived at this moment.
   */
  #retry(
    quarantineId: string,
    now: Circumstances & { seq: number },
  ):
    | { kind: 'retried'; status: IntakeStatus }
    | { kind: 'still'; defect: string }
    | { kind: 'unknown' } {
    this.flush();
    const kept = this.#source.quarantine(quarantineId);
    if (kept === undefined) return { kind: 'unknown' };
    if (kept.state === 'retried') return { kind: 'still', defect: 'it was retried already' };
    const decoded = this.#decode(kept.body);
    if (decoded.kind !== 'notification') return { kind: 'still', defect: decoded.defect };
    const seen = this.#set.seen(decoded.notification.id);
    if (seen !== undefined && !this.#saidBefore(seen, { raw: kept.body, digest: decoded.digest })) {
      return { kind: 'still', defect: 'another body stands under its id' };
    }
    const decided = this.#decide(decoded.notification, { ...now, source: 'webhook' }, false);
    if ('defect' in decided) return { kind: 'still', defect: decided.defect };
    this.#set.apply(decided.changes, now);
    const { body: _, ...row } = kept;
    this.#set.putQuarantine({ ...row, state: 'retried', retriedAt: now.at });
    this.#set.heal(breakKey('quarantined', kept.notificationId), 'retried and understood', now);
    return { kind: 'retried', status: decided.status };
  }
}

export function quarantineIdOf(seq: number): string {
  return `qtn_${seq}`;
}

/** Errors of the database itself say nothing about the fact at hand. */
function isInfrastructure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
}
