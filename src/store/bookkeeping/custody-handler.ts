import { handleBacklog } from '../../domain/break/backlog.ts';
import { saysNothingNew } from '../../domain/break/break.ts';
import type { CustodyRecord } from '../../domain/fact/custody-record.ts';
import type { Fact } from '../../domain/fact/fact.ts';
import {
  handleDepositRecord,
  handleDepthsRecord,
  handleSubscriptionRecord,
  handleUnseenRecord,
  withCustodySums,
} from '../../domain/deposit/record/verification.ts';
import {
  EMPTY_HASH_STATE,
  isEmpty,
  NO_CHANGES,
  type ChangeSet,
  type HashState,
  type KeyedHashState,
} from '../../domain/hash/hash-state.ts';
import type { OpenSince } from '../../domain/deposit/record/comparison.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { Correcting } from '../../domain/deposit/record/correction.ts';
import { handleAddressRecord } from '../../domain/chain/address-handler.ts';
import { handleBackfill } from '../../domain/fact/backfill.ts';
import { handleDisownedHash } from '../../domain/withdrawal/own-hash-handler.ts';
import {
  handleOutgoingRecord,
  handleUnknownTransaction,
} from '../../domain/withdrawal/record-handler.ts';
import {
  sumsOf,
  type CustodySum,
  type CustodyTransaction,
} from '../../domain/fact/custody-record.ts';
import type { MovementKey } from '../../domain/money/movement.ts';
import type { NamedHash } from '../../domain/withdrawal/own-hash.ts';
import type { TransactionId } from '../../domain/ids.ts';
import { ExemptionHandler } from './exemption-handler.ts';
import { takeClose } from './close-handler.ts';
import type { HandlerContext, Now } from './handler-context.ts';
import { RunHandler } from './run-handler.ts';

type RecordFact = Extract<Fact, { kind: 'custody-record' }>;

/** Applies evidence from the custody API. The rules compare it with the records as they are now. */
export class CustodyHandler {
  readonly #context: HandlerContext;
  readonly #runs: RunHandler;
  readonly #exemptions: ExemptionHandler;

  constructor(context: HandlerContext) {
    this.#context = context;
    this.#exemptions = new ExemptionHandler(context);
    this.#runs = new RunHandler(context, this.#exemptions, (decided, now) =>
      this.#apply(decided, now),
    );
  }

  /** Whether anything changed; evidence that changes nothing is not journalled. */
  take(fact: RecordFact, now: Now): boolean {
    const { record } = fact;
    const taken = this.#handle(fact, now);
    // A row that proved something also proves what its hash moved.
    if (taken && 'transaction' in record && record.transaction !== null) {
      this.#compareRow(record.transaction);
    }
    return taken;
  }

  #handle({ record, computed }: RecordFact, now: Now): boolean {
    switch (record.kind) {
      case 'deposit':
        return this.#takeDepositRecord(record, now);
      case 'outgoing': {
        const { transaction, graceMs } = record;
        const { transactionId } = transaction;
        const known = this.#context.unit.withdrawal(transactionId);
        const hashes = this.#hashesOf(transactionId, known, transaction);
        const openSince = this.#openSince;
        const context = { record: transaction, hashes, graceMs, now, openSince };
        return this.#apply(handleOutgoingRecord(known, context), now);
      }
      case 'unknown-transaction': {
        const { transactionId } = record;
        const known = this.#context.unit.withdrawal(transactionId);
        if (known === undefined) return false;
        const hashes = this.#hashesOf(transactionId, known);
        return this.#apply(handleUnknownTransaction(known, { hashes, now }), now);
      }
      case 'disowned-hash': {
        const { network, blockchainHash, incoming, graceMs } = record;
        const { unit } = this.#context;
        const hash = unit.hashState(network, blockchainHash);
        const withdrawalOf = (id: TransactionId) => unit.withdrawal(id);
        const context = { incoming, withdrawalOf, graceMs, now };
        return this.#apply(handleDisownedHash(hash, context), now);
      }
      case 'movement':
        return this.#compareSums(record, { sums: record.sums, whole: true });
      case 'unseen': {
        const { transaction, graceMs } = record;
        const hashState = this.#hashStateOf(transaction);
        const context = { record: transaction, graceMs, now };
        return this.#apply(handleUnseenRecord(hashState, context), now);
      }
      case 'backfill': {
        const { transaction, epoch } = record;
        const { transactionId } = transaction;
        const known = this.#context.unit.withdrawal(transactionId);
        const hashes = this.#hashesOf(transactionId, known, transaction);
        const context = { record: transaction, epoch, now };
        return this.#apply(handleBackfill(hashes, known, context), now);
      }
      case 'address': {
        const { network, blockchainHash } = record.movement;
        const hashState = this.#context.unit.hashState(network, blockchainHash);
        return this.#apply(handleAddressRecord(hashState, record, now), now);
      }
      case 'subscription':
        return this.#apply(handleSubscriptionRecord(record.vaultId, record.drift), now);
      case 'backlog':
        return this.#apply(handleBacklog(record.vaultId, record.backlog), now);
      case 'depths':
        return this.#apply(handleDepthsRecord(record, now.policy), now);
      case 'run-step':
        return this.#runs.step(record.graceMs, now).changed;
      case 'run':
        this.#runs.end(record, now);
        return true;
      case 'close':
        return takeClose(record, this.#context, { ...now, computed });
      default:
        record satisfies never;
        // A later version's kind: without effect, so not journalled. Otherwise the seals would agree.
        return false;
    }
  }

  #takeDepositRecord(record: Extract<CustodyRecord, { kind: 'deposit' }>, now: Now): boolean {
    const { depositId, transaction, graceMs, epoch, expires } = record;
    const deposit = this.#context.unit.deposit(depositId);
    if (deposit === undefined) return false;
    // Rolled back since the comparison: the record may be older than the rollback.
    if (epoch !== undefined && epoch !== deposit.epoch) return false;
    const correcting = record.corrects && this.#correcting(deposit);
    const context = { graceMs, now, correcting, expires };
    return this.#apply(handleDepositRecord(deposit, transaction, context), now);
  }

  readonly #openSince: OpenSince = (key) => this.#context.unit.unresolvedBreak(key)?.openedAt;

  #correcting({ network, blockchainHash }: Deposit): Correcting {
    const hashState = this.#context.unit.hashState(network, blockchainHash);
    return { hashState, openSince: this.#openSince };
  }

  #hashStateOf(transaction: CustodyTransaction): HashState {
    return transaction.blockchainHash === null
      ? EMPTY_HASH_STATE
      : this.#context.unit.hashState(transaction.network, transaction.blockchainHash);
  }

  /** Hash states of every hash that our records or the API's record name for a transaction. */
  #hashesOf(
    transactionId: TransactionId,
    ...names: readonly (NamedHash | undefined)[]
  ): KeyedHashState[] {
    const { unit } = this.#context;
    const named = names.filter((one) => one !== undefined);
    return unit.hashStatesOf([...unit.ownHashesOf(transactionId), ...named]);
  }

  #compareRow(row: CustodyTransaction): void {
    const { vaultId, network, blockchainHash } = row;
    const sums = sumsOf([row]);
    if (blockchainHash === null || sums === null) return;
    this.#compareSums({ vaultId, network, blockchainHash }, { sums, whole: false });
  }

  /** Compares movements without a chain view with the custody API's sums; whether any changed. */
  #compareSums(
    at: Omit<MovementKey, 'asset'>,
    reading: { sums: readonly CustodySum[]; whole: boolean },
  ): boolean {
    const { unit } = this.#context;
    const { vaultId, network, blockchainHash } = at;
    const movements = reading.sums.flatMap(
      ({ asset }) => unit.movement({ vaultId, network, blockchainHash, asset }) ?? [],
    );
    const evaluated = withCustodySums(movements, reading);
    for (const movement of evaluated) unit.putMovement(movement);
    return evaluated.length > 0;
  }

  /** Applies a change set without the breaks that are open already; false when nothing is left. */
  #apply(decided: ChangeSet, now: Now): boolean {
    const { unit } = this.#context;
    const { found, exempt } = this.#exemptions.part(decided.found, now.at);
    const exempted = this.#exemptions.news(exempt);
    const news: ChangeSet = {
      ...NO_CHANGES,
      deposits: decided.deposits,
      items: decided.items,
      sightings: decided.sightings,
      withdrawals: decided.withdrawals,
      ownHashes: decided.ownHashes,
      entries: decided.entries,
      pinned: decided.pinned,
      healed: decided.healed.filter(
        ({ key }) => unit.unresolvedBreak(key) !== undefined || this.#exemptions.isExempt(key),
      ),
      found: found.filter((one) => !saysNothingNew(unit.unresolvedBreak(one.key), one)),
    };
    if (isEmpty(news) && exempted.length === 0) return false;
    unit.apply(news, now);
    for (const one of exempted) unit.exempt(one, now);
    return true;
  }
}
