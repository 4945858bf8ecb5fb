import type { Attempt } from './call/caller.ts';

/** Forget a refusal after this many milliseconds: a rarely used operation may be allowed again. */
const FORGOTTEN_AFTER_MS = 2 * 3_600_000;

type RefusalStatus = 401 | 403;

export interface AccessRefusal {
  /** The operation's name in metrics. */
  readonly operation: string;
  /** 401: the key is refused. 403: the key may not do this. */
  readonly status: RefusalStatus;
  /** When the operation was first refused, Unix milliseconds. */
  readonly sinceMs: number;
}

/** Whether the custody API accepts our key. */
export type AccessState =
  /** No answer yet. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'granted' }
  | { readonly kind: 'refused'; readonly refusals: readonly AccessRefusal[] };

function isRefusal(status: number): status is RefusalStatus {
  return status === 401 || status === 403;
}

/** Advice for a person about a refusal; null when the status does not refuse the key. */
export function accessAdvice(status: number): string | null {
  if (status === 401) {
    return 'Check custody.clientId, attach the public key of custody.privateKeyFile to that API client, and check the clock of this machine.';
  }
  if (status === 403) {
    return 'Give the API client custody.clientId the permission, or check the proxy in between.';
  }
  return null;
}

/**
 * One line for a person per refusing status: what, since when, and what to do. Empty unless the
 * state is `refused`.
 */
export function accessNotice(state: AccessState): string[] {
  if (state.kind !== 'refused') return [];
  return ([401, 403] as const).flatMap((status) => {
    const refusals = state.refusals.filter((one) => one.status === status);
    if (refusals.length === 0) return [];
    const since = new Date(Math.min(...refusals.map(({ sinceMs }) => sinceMs))).toISOString();
    const operations = refusals.map(({ operation }) => operation).join(', ');
    const what = status === 401 ? 'our key' : operations;
    const effect = status === 401 ? '; nothing is verified or credited' : '';
    return [
      `The custody API has refused ${what} (${status}) since ${since}${effect}. ${accessAdvice(status)}`,
    ];
  });
}

/**
 * Follows whether the custody API accepts our key. The circuit cannot: a service that refuses us is
 * up. 401 and 403 both carry `AU-1` (the specification, section "Errors").
 *
 * | answer | says |
 * |---|---|
 * | 401 | the key is refused, for every operation |
 * | 403 | the key is accepted, and may not do this operation |
 * | 429, 5xx, none | nothing |
 * | any other | the key is accepted, and may do this operation |
 */
export class Access {
  readonly #now: () => number;
  readonly #onChange: (state: AccessState) => void;
  readonly #refusals = new Map<string, AccessRefusal & { readonly lastMs: number }>();
  #answered = false;
  #reported = '';

  /** `onChange` runs when a status begins or stops refusing us. */
  constructor(options: { now: () => number; onChange: (state: AccessState) => void }) {
    this.#now = options.now;
    this.#onChange = options.onChange;
  }

  /** Call this after every attempt. */
  answered({ operation, status }: Pick<Attempt, 'operation' | 'status'>): void {
    if (status === null || status === 429 || status >= 500) return;
    this.#answered = true;
    if (status !== 401) this.#keyAccepted();
    if (isRefusal(status)) this.#refused(operation, status);
    else this.#refusals.delete(operation);
    this.#reportChange();
  }

  state(): AccessState {
    const forgottenMs = this.#now() - FORGOTTEN_AFTER_MS;
    const refusals = [...this.#refusals.values()]
      .filter(({ lastMs }) => lastMs > forgottenMs)
      .map(({ operation, status, sinceMs }) => ({ operation, status, sinceMs }));
    if (refusals.length > 0) return { kind: 'refused', refusals };
    return { kind: this.#answered ? 'granted' : 'unknown' };
  }

  #keyAccepted(): void {
    for (const { operation, status } of this.#refusals.values()) {
      if (status === 401) this.#refusals.delete(operation);
    }
  }

  #refused(operation: string, status: RefusalStatus): void {
    const nowMs = this.#now();
    const before = this.#refusals.get(operation);
    const sinceMs = before?.status === status ? before.sinceMs : nowMs;
    this.#refusals.set(operation, { operation, status, sinceMs, lastMs: nowMs });
  }

  #reportChange(): void {
    const state = this.state();
    const statuses = state.kind === 'refused' ? state.refusals.map(({ status }) => status) : [];
    const summary = [...new Set(statuses)].toSorted((left, right) => left - right).join();
    if (summary === this.#reported) return;
    this.#reported = summary;
    this.#onChange(state);
  }
}
