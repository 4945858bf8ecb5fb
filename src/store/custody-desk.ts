import { decideBacklog } from '../domain/backlog.ts';
import { saysNothingNew } from '../domain/break.ts';
import type { CloseRecord } from '../domain/close-record.ts';
import type { CustodyRecord } from '../domain/custody.ts';
import {
  decideDepositRecord,
  decideDepthsRecord,
  decideSubscriptionRecord,
  decideUnseenRecord,
  settleMovements,
} from '../domain/decide-custody.ts';
import {
  EMPTY_DOSSIER,
  isEmpty,
  NO_CHANGES,
  type Changes,
  type Circumstances,
  type Dossier,
  type HashDossier,
} from '../domain/dossier.ts';
import type { Deposit } from '../domain/deposit.ts';
import type { Correcting } from '../domain/deposit/correction.ts';
import { decideAddressRecord } from '../domain/decide-address.ts';
import { decideBackfill } from '../domain/decide-backfill.ts';
import { decideDisownedHash } from '../domain/decide-own-hash.ts';
import { decideOutgoingRecord, decideUnknownTransaction } from '../domain/decide-withdrawal.ts';
import { sumsOf, type CustodySum, type CustodyTransaction } from '../domain/custody.ts';
import type { MovementKey } from '../domain/movement.ts';
import type { NamedHash } from '../domain/own-hash.ts';
import type { TransactionId } from '../domain/ids.ts';
import { ExemptionDesk } from './exemption-desk.ts';
import { takeClose } from './close-desk.ts';
import type { DeskTools } from './desk-tools.ts';
import { RunDesk } from './run-desk.ts';

type Evidence = Exclude<CustodyRecord, CloseRecord>;
type Now = Circumstances & { readonly seq: number };

/** Applies evidence from the custody API; decided anew here, against the records as they are now. */
export class CustodyDesk {
  readonly #tools: DeskTools;
  readonly #runs: RunDesk;
  readonly #exemptions: ExemptionDesk;

  constructor(tools: DeskTools) {
    this.#tools = tools;
    this.#exemptions = new ExemptionDesk(tools);
    this.#runs = new RunDesk(tools, this.#exemptions, (decided, now) => this.#apply(decided, now));
  }

  /** Whether anything changed; evidence that changes nothing is not journalled. */
  take(record: Evidence, now: Now): boolean {
    const taken = this.#decide(record, now);
    // A row that was evidence for something is evidence for what its hash moved, too.
    if (taken && 'transaction' in record && record.transaction !== null) {
      this.#settleByRow(record.transaction);
    }
    return taken;
  }

  /** Whether the rules let the day be closed. `preparation`: it was worked out before. */
  close(record: CloseRecord, now: Now & { readonly preparation: string | undefined }): boolean {
    return takeClose(record, this.#tools, now);
  }

  #decide(record: Evidence, now: Now): boolean {
    switch (record.kind) {
      case 'deposit': {
        const deposit = this.#tools.set.deposit(record.depositId);
        if (deposit === undefined) return false;
        const { transaction, graceMs } = record;
        const correcting = record.corrects && this.#correcting(deposit);
        const context = { graceMs, now, correcting };
        return this.#apply(decideDepositRecord(deposit, transaction, context), now);
      }
      case 'outgoing': {
        const { transaction, graceMs } = record;
        const { transactionId } = transaction;
        const known = this.#tools.set.withdrawal(transactionId);
        const hashes = this.#hashesOf(transactionId, known, transaction);
        const context = { record: transaction, hashes, graceMs, now };
        return this.#apply(decideOutgoingRecord(known, context), now);
      }
      case 'unknown-transaction': {
        const { transactionId } = record;
        const known = this.#tools.set.withdrawal(transactionId);
        if (known === undefined) return false;
        const hashes = this.#hashesOf(transactionId, known);
        return this.#apply(decideUnknownTransaction(known, { hashes, now }), now);
      }
      case 'disowned-hash': {
        const { network, blockchainHash, incoming, graceMs } = record;
        const { set } = this.#tools;
        const hash = set.dossier(network, blockchainHash);
        const withdrawalOf = (id: TransactionId) => set.withdrawal(id);
        const context = { incoming, withdrawalOf, graceMs, now };
        return this.#apply(decideDisownedHash(hash, context), now);
      }
      case 'movement':
        return this.#settle(record, { sums: record.sums, whole: true });
      case 'unseen': {
        const { transaction, graceMs } = record;
        const dossier = this.#dossierOf(transaction);
        return this.#apply(decideUnseenRecord(dossier, { record: transaction, graceMs, now }), now);
      }
      case 'backfill': {
        const { transaction } = record;
        const { transactionId } = transaction;
        const known = this.#tools.set.withdrawal(transactionId);
        const hashes = this.#hashesOf(transactionId, known, transaction);
        return this.#apply(decideBackfill(hashes, known, { record: transaction, now }), now);
      }
      case 'address': {
        const { network, blockchainHash } = record.movement;
        const dossier = this.#tools.set.dossier(network, blockchainHash);
        return this.#apply(decideAddressRecord(dossier, record, now), now);
      }
      case 'subscription':
        return this.#apply(decideSubscriptionRecord(record.vaultId, record.drift), now);
      case 'backlog':
        return this.#apply(decideBacklog(record.vaultId, record.backlog), now);
      case 'depths':
        return this.#apply(decideDepthsRecord(record, now.policy), now);
      case 'run-step':
        return this.#runs.step(record.graceMs, now).changed;
      case 'run':
        this.#runs.end(record, now);
        return true;
      default:
        return record satisfies never;
    }
  }

  #correcting({ network, blockchainHash }: Deposit): Correcting {
    const { set } = this.#tools;
    const openSince = (key: string): number | undefined => set.unresolvedBreak(key)?.openedAt;
    return { dossier: set.dossier(network, blockchainHash), openSince };
  }

  #dossierOf(transaction: CustodyTransaction): Dossier {
    return transaction.blockchainHash === null
      ? EMPTY_DOSSIER
      : this.#tools.set.dossier(transaction.network, transaction.blockchainHash);
  }

  /** Dossiers of every hash that a transaction has or is said to have, by us or by its record. */
  #hashesOf(
    transactionId: TransactionId,
    ...told: readonly (NamedHash | undefined)[]
  ): HashDossier[] {
    const { set } = this.#tools;
    const named = told.filter((one) => one !== undefined);
    return set.dossiersOf([...set.ownHashesOf(transactionId), ...named]);
  }

  #settleByRow(row: CustodyTransaction): void {
    const { vaultId, network, blockchainHash } = row;
    const sums = sumsOf([row]);
    if (blockchainHash === null || sums === null) return;
    this.#settle({ vaultId, network, blockchainHash }, { sums, whole: false });
  }

  /** Whether the custody API's sums settle anything that no chain view tells of. */
  #settle(
    at: Omit<MovementKey, 'asset'>,
    told: { sums: readonly CustodySum[]; whole: boolean },
  ): boolean {
    const { set } = this.#tools;
    const { vaultId, network, blockchainHash } = at;
    const movements = told.sums.flatMap(
      ({ asset }) => set.movement({ vaultId, network, blockchainHash, asset }) ?? [],
    );
    const settled = settleMovements(movements, told);
    for (const movement of settled) set.putMovement(movement);
    return settled.length > 0;
  }

  /** Applies what was decided, but for what the breaks say already; false when nothing is left. */
  #apply(decided: Changes, now: Now): boolean {
    const { set } = this.#tools;
    const { found, exempt } = this.#exemptions.part(decided.found, now.at);
    const exempted = this.#exemptions.news(exempt);
    const news: Changes = {
      ...NO_CHANGES,
      deposits: decided.deposits,
      items: decided.items,
      sightings: decided.sightings,
      withdrawals: decided.withdrawals,
      ownHashes: decided.ownHashes,
      entries: decided.entries,
      pinned: decided.pinned,
      healed: decided.healed.filter(
        ({ key }) => set.unresolvedBreak(key) !== undefined || this.#exemptions.isExempt(key),
      ),
      found: found.filter((one) => !saysNothingNew(set.unresolvedBreak(one.key), one)),
    };
    if (isEmpty(news) && exempted.length === 0) return false;
    set.apply(news, now);
    for (const one of exempted) set.exempt(one, now);
    return true;
  }
}
