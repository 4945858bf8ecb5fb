import type {
  LifeFact,
  StoredNotification,
  WithdrawalLife,
  WithdrawalPosting,
} from '../../store/answers.ts';
import type { BreakEvent } from '../../domain/break/break.ts';
import { bodyOf, transactionIn, type FactBody } from '../parts/fact/fact-body.ts';
import type { StepHead } from '../parts/fact/life-step.tsx';

/** What a fact brought about. */
export type Effect =
  | { readonly kind: 'posted'; readonly posting: WithdrawalPosting }
  | {
      readonly kind: 'break';
      readonly breakId: string;
      readonly type: string;
      readonly action: BreakEvent['action'];
      readonly asset: string | null;
      readonly detail: string;
    };

/** One fact of a withdrawal's life, with its effects. */
export interface Step extends StepHead<'webhook' | 'custody API' | 'person' | 'Counterfoil'> {
  readonly effects: readonly Effect[];
}

type Head = Pick<Step, 'origin' | 'title' | 'detail'>;

function notificationHead(one: StoredNotification): Head {
  const status = one.status === 'accepted' ? '' : `, ${one.status}`;
  const hash = one.blockchainHash === null ? '' : ` of hash ${one.blockchainHash}`;
  return {
    origin: 'webhook',
    title: `${one.stream ?? 'unknown'} ${one.type ?? 'notification'}${status}`,
    detail: `Notification ${one.id}${hash}`,
  };
}

/** The custody API's status of the transaction, where the record has it. */
function statusIn(body: FactBody): string | null {
  const status = transactionIn(body)?.['status'];
  return typeof status === 'string' ? `Status there: ${status}` : null;
}

const RECORDS: Readonly<Record<string, string>> = {
  outgoing: 'The custody API’s record was compared',
  'unknown-transaction': 'The custody API does not know this transaction',
  'disowned-hash': 'The custody API listed the hash without an own transaction',
  backfill: 'The custody API reported it; no notification did',
  movement: 'The custody API’s sum of the hash was compared',
};

const OWN_RECORDS = new Set(['run', 'run-step', 'close']);

function factHead(fact: LifeFact): Head {
  const body = bodyOf(fact);
  const kind = typeof body['kind'] === 'string' ? body['kind'] : '';
  switch (fact.kind) {
    case 'decision': {
      const reason = typeof body['reason'] === 'string' ? body['reason'] : null;
      const title = `${fact.actor ?? 'somebody'}: ${kind === '' ? 'decision' : kind}`;
      return { origin: 'person', title, detail: reason };
    }
    case 'custody-record':
      return OWN_RECORDS.has(kind)
        ? { origin: 'Counterfoil', title: 'A run compared the hash', detail: null }
        : {
            origin: 'custody API',
            title: RECORDS[kind] ?? 'The custody API was asked',
            detail: statusIn(body),
          };
    case 'notification':
    case 'quarantined':
    case 'refused':
      return { origin: 'webhook', title: 'A notification about the same hash', detail: null };
    default:
      return fact.kind satisfies never;
  }
}

function headOf(fact: LifeFact | undefined, one: StoredNotification | undefined): Head {
  if (one !== undefined) return notificationHead(one);
  if (fact !== undefined) return factHead(fact);
  return { origin: 'Counterfoil', title: 'A fact that the journal does not hold', detail: null };
}

function effectsBySeq({ postings, breaks }: WithdrawalLife): ReadonlyMap<number, Effect[]> {
  const effects = new Map<number, Effect[]>();
  const add = (seq: number, effect: Effect): void => {
    effects.set(seq, [...(effects.get(seq) ?? []), effect]);
  };
  for (const posting of postings) add(posting.seq, { kind: 'posted', posting });
  for (const { found, history } of breaks) {
    for (const { seq, action, reason } of history) {
      const { breakId, type } = found;
      const detail = action === 'opened' ? found.detail : reason;
      add(seq, { kind: 'break', breakId, type, action, asset: found.subject.asset, detail });
    }
  }
  return effects;
}

/** A withdrawal's life, fact by fact, oldest first. */
export function timelineOf(life: WithdrawalLife): Step[] {
  const effects = effectsBySeq(life);
  const notifications = new Map(life.notifications.map((one) => [one.seq, one]));
  const seqs = [...new Set([...life.facts.keys(), ...notifications.keys()])];
  return seqs
    .toSorted((left, right) => left - right)
    .map((seq) => {
      const [fact, one] = [life.facts.get(seq), notifications.get(seq)];
      return {
        seq,
        at: fact?.recordedAt ?? one?.receivedAt ?? 0,
        ...headOf(fact, one),
        effects: effects.get(seq) ?? [],
        fact: fact ?? null,
      };
    });
}
