import type { Attempt } from './caller.ts';

/** Some operations are rarely used: a refusal that old says nothing about now. Unix milliseconds. */
const FORGOTTEN_AFTER_MS = 2 * 3_600_000;

type RefusalStatus = 401 | 403;

export interface AccessRefusal {
  /** As metrics name it. */
  readonly operation: string;
  /** 401: the key is not accepted. 403: it may not do this. */
  readonly status: RefusalStatus;
  /** When the operation was first refused so, Unix milliseconds. */
  readonly sinceMs: number;
}

/** Whether the custody API accepts our key. */
export type AccessState =
  /** It has not answered yet. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'granted' }
  | { readonly kind: 'refused'; readonly refusals: readonly AccessRefusal[] };

function isRefusal(status: number): status is RefusalStatus {
  return status === 401 || status === 403;
}

/** What a person does about a refusal; null where the status is no refusal of our key. */
export function accessAdvice(status: number): string | null {
  if (status === 401) {
    return 'Attach the public key of custody.privateKeyFile to the API client custody.clientId, and check the clock of this machine.';
  }
  if (status === 403) {
    return 'Give the API client custody.clientId the permission, or look at the proxy in between.';
  }
  return null;
}

/** A line for a person for each status that refuses us: what, since when, and what to do. */
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
 * Follows from the answers whether the custody API accepts our key. The circuit does not: a service
 * that refuses us is up.
 *
 * | answer | says |
 * |---|---|
 * | 401 | the key is refused, whatever the operation |
 * | 403 | the key is accepted, and may not do this operation |
 * | 429, 5xx, none | nothing |
 * | any other | the key is accepted, and may do this operation |
 */
export class Access {
  readonly #now: () => number;
  readonly #onChange: (state: AccessState) => void;
  readonly #refusals = new Map<string, AccessRefusal & { readonly lastMs: number }>();
  #answered = false;
  #told = '';

  /** `onChange` is told when a status begins to refuse us, and when none does any more. */
  constructor(options: { now: () => number; onChange: (state: AccessState) => void }) {
    this.#now = options.now;
    this.#onChange = options.onChange;
  }

  /** To be told after every attempt. */
  answered({ operation, status }: Pick<Attempt, 'operation' | 'status'>): void {
    if (status === null || status === 429 || status >= 500) return;
    this.#answered = true;
    if (status !== 401) this.#keyAccepted();
    if (isRefusal(status)) this.#refused(operation, status);
    else this.#refusals.delete(operation);
    this.#tellChange();
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

  #tellChange(): void {
    const state = this.state();
    const statuses = state.kind === 'refused' ? state.refusals.map(({ status }) => status) : [];
    const summary = [...new Set(statuses)].toSorted((left, right) => left - right).join();
    if (summary === this.#told) return;
    this.#told = summary;
    this.#onChange(state);
  }
}
