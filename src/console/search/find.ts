import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { Amount } from '../../domain/money/amount.ts';
import type { Withdrawal } from '../../domain/withdrawal/withdrawal.ts';
import type { ShownBreak } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';
import type { Subject } from '../parts/subject-link.ts';
import type { AssetAmount, Mentioned } from '../../store/queries.ts';

/** A thing that a search found. */
export interface Hit {
  readonly subject: Subject;
  /** By which its page is opened. */
  readonly id: string;
  /** By which people know it, where that is another one: a notification's page is its fact's. */
  readonly name?: string;
  /** `Deposit`, `Notification`. */
  readonly kind: string;
  /** What tells it from others: its state. */
  readonly detail: string;
  readonly amount?: { readonly amount: Amount; readonly asset: string };
  readonly vaultId?: string | null;
  /** Unix milliseconds; null where it has no time of its own. */
  readonly at: number | null;
}

/** Hits of one kind; a hash may have thousands of notifications. */
const FIRST = { page: 0, pageSize: 20 } as const;

async function byId(reads: Reads, text: string): Promise<Hit[]> {
  const [deposit, known, credit] = await Promise.all([
    reads.deposit(text),
    reads.break(text),
    reads.credit(text),
  ]);
  if (deposit !== undefined) return [depositHit(deposit)];
  if (known !== undefined) return [breakHit(known.found)];
  if (credit !== undefined) {
    const { depositId } = credit.item.deposit;
    const detail = `credit ${text} of it`;
    return [{ subject: 'deposit', id: depositId, kind: 'Deposit', detail, at: credit.createdAt }];
  }
  const [withdrawals, ...others] = await Promise.all([
    reads.withdrawals({ transactionId: text }, FIRST),
    quarantineHits(reads, text),
    runHits(reads, text),
    dayHits(reads, text),
  ]);
  return [...withdrawals.items.map(withdrawalHit), ...others.flat()];
}

async function quarantineHits(reads: Reads, text: string): Promise<Hit[]> {
  const kept = await reads.quarantined(text);
  if (kept === undefined) return [];
  const { quarantineId: id, state, defect, receivedAt: at } = kept;
  return [
    { subject: 'quarantine', id, kind: 'Quarantined body', detail: `${state}: ${defect}`, at },
  ];
}

async function runHits(reads: Reads, text: string): Promise<Hit[]> {
  const [, seq] = /^rec_(\d{1,15})$/.exec(text) ?? [];
  const run = seq === undefined ? undefined : await reads.reconciliation(Number(seq));
  if (run === undefined) return [];
  const detail = `${run.matched} matched, ${run.broken} breaks`;
  const id = String(run.seq);
  return [{ subject: 'run', id, kind: 'Reconciliation run', detail, at: run.finishedAt }];
}

async function dayHits(reads: Reads, text: string): Promise<Hit[]> {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return [];
  const closed = await reads.closedDay(text);
  if (closed === undefined) return [];
  const { day, status, closedAt } = closed.close;
  return [{ subject: 'day', id: day, kind: 'Closed day', detail: status, at: closedAt }];
}

function depositHit(deposit: Deposit): Hit {
  const { depositId, state, amount, asset, vaultId, firstSeenAt } = deposit;
  return {
    subject: 'deposit',
    id: depositId,
    kind: 'Deposit',
    detail: state.replaceAll('_', ' '),
    amount: { amount, asset },
    vaultId,
    at: firstSeenAt,
  };
}

function withdrawalHit({ transactionId, status, vaultId, firstSeenAt }: Withdrawal): Hit {
  const detail = status ?? 'unknown status';
  const kind = 'Withdrawal';
  return { subject: 'withdrawal', id: transactionId, kind, detail, vaultId, at: firstSeenAt };
}

function breakHit({ breakId, type, severity, state, openedAt }: ShownBreak): Hit {
  const detail = `${type.replaceAll('_', ' ')}, ${severity}, ${state}`;
  return { subject: 'break', id: breakId, kind: 'Break', detail, at: openedAt };
}

function vaultHit(vaultId: string): Hit {
  const detail = 'balances of its positions';
  return { subject: 'vault', id: vaultId, kind: 'Vault', detail, at: null };
}

async function byHash(reads: Reads, blockchainHash: string): Promise<Hit[]> {
  const [deposits, withdrawals, movements] = await Promise.all([
    reads.deposits({ blockchainHash }, FIRST),
    reads.withdrawals({ blockchainHash }, FIRST),
    reads.movements(blockchainHash),
  ]);
  return [
    ...deposits.items.map(depositHit),
    ...withdrawals.items.map(withdrawalHit),
    ...(movements.length === 0
      ? []
      : [
          {
            subject: 'hash',
            id: blockchainHash,
            kind: 'Movements',
            detail: `${movements.length} by asset and vault`,
            at: null,
          } as const,
        ]),
  ];
}

async function notificationHits(reads: Reads, text: string): Promise<Hit[]> {
  const [byOwnId, ofHash] = await Promise.all([
    reads.notifications({ id: text }, FIRST),
    reads.notifications({ blockchainHash: text }, FIRST),
  ]);
  return [...byOwnId.items, ...ofHash.items].map(
    ({ seq, id, stream, type, blockchainHash, receivedAt }) => ({
      subject: 'notification',
      id: String(seq),
      name: id,
      kind: 'Notification',
      detail: [stream ?? 'unreadable', type, blockchainHash]
        .filter((one) => one !== null)
        .join(' '),
      at: receivedAt,
    }),
  );
}

/** What has the text as a name, and what has one of the amounts. */
async function byMember(reads: Reads, mentioned: Mentioned): Promise<Hit[]> {
  const page = { cursor: null, pageSize: FIRST.pageSize };
  const [received, others] = await Promise.all([
    reads.findDeposits({ networkAddress: mentioned.text }, page),
    reads.mentions(mentioned, FIRST.pageSize),
  ]);
  const found = [...received.items, ...others.deposits];
  const deposits = new Map(found.map((deposit) => [deposit.depositId, deposit]));
  const vaults = new Set<string>(received.items.map(({ vaultId }) => vaultId));
  if (others.isVault) vaults.add(mentioned.text);
  return [
    ...[...deposits.values()].map(depositHit),
    ...others.withdrawals.map(withdrawalHit),
    ...others.breaks.map(breakHit),
    ...[...vaults].map(vaultHit),
  ];
}

async function byExactText(reads: Reads, text: string): Promise<Hit[]> {
  // Together: each read waits in a queue.
  const hits = await Promise.all([
    byId(reads, text),
    byHash(reads, text),
    notificationHits(reads, text),
  ]);
  return hits.flat();
}

/**
 * Everything whose id or blockchain hash is exactly the text; else the newest deposits, withdrawals
 * and open breaks with it as address, account, memo, owner, order, transaction, consumer's reference
 * or amount, the vault with this id, and the vaults of deposits at this on-chain address. `amounts`:
 * what the text may mean as an amount.
 */
export async function find(
  reads: Reads,
  text: string,
  amounts: readonly AssetAmount[],
): Promise<readonly Hit[]> {
  // A text that reads as an amount is rarely an id. Both are looked up at the same time, so that the
  // reads wait in the queue once.
  const early = amounts.length === 0 ? undefined : byMember(reads, { text, amounts });
  const [exact, members] = await Promise.all([byExactText(reads, text), early]);
  return exact.length > 0 ? exact : (members ?? byMember(reads, { text, amounts }));
}

/** The one thing that a person must mean; undefined where several fit. */
export function onlyThing(hits: readonly Hit[]): Hit | undefined {
  const things = hits.filter(({ subject }) => subject !== 'notification' && subject !== 'hash');
  const [first, second] = things.length > 0 ? things : hits;
  return second === undefined ? first : undefined;
}
