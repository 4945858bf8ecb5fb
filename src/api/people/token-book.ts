import type { Role } from '../../domain/access/role.ts';
import type { TokenChangeRow } from '../../store/records.ts';
import { identifyBy, type ApiToken, type Caller, type Identify } from '../access.ts';

/** A token as people see it. Times are Unix milliseconds. */
export interface ListedToken {
  readonly name: string;
  readonly role: Role;
  /** The configuration file, or a person at run time. */
  readonly source: 'config' | 'api';
  readonly state: 'active' | 'revoked';
  /** The journal position of its last change; null in the configuration. */
  readonly changedSeq: number | null;
  readonly changedAt: number | null;
  readonly changedBy: string | null;
  readonly reason: string | null;
  /** Since the daemon started; null when not used since. */
  readonly lastUsedAt: number | null;
}

/** The tokens of the configuration, and those that people made at run time. */
export class TokenBook {
  readonly #configured: readonly ApiToken[];
  readonly #now: () => number;
  readonly #usedAt = new Map<string, number>();
  #issued: readonly TokenChangeRow[] = [];
  #identify: Identify;
  #callers: ReadonlyMap<string, Caller> = new Map();

  /** `now`: Unix milliseconds. Throws for a configured digest that is not 64 hex digits. */
  constructor(options: { configured: readonly ApiToken[]; now: () => number }) {
    this.#configured = options.configured;
    this.#now = options.now;
    this.#identify = identifyBy(options.configured);
    this.take([]);
  }

  /** Takes over all changes that the store holds, oldest first. */
  take(changes: readonly TokenChangeRow[]): void {
    this.#issued = [...new Map(changes.map((change) => [change.name, change])).values()];
    const active = this.#issued.flatMap(({ name, role, sha256 }) =>
      sha256 === null ? [] : [{ name, role, sha256 }],
    );
    const all = [...this.#configured, ...active];
    this.#identify = identifyBy(all);
    this.#callers = new Map(all.map(({ name, role, sha256 }) => [sha256, { name, role }]));
  }

  /** The caller of a token, whose use is noted. */
  readonly identify: Identify = (token) => {
    const caller = this.#identify(token);
    if (caller !== undefined) this.#usedAt.set(caller.name, this.#now());
    return caller;
  };

  /** The caller of the token with this SHA-256 (hex), while the token is active. */
  readonly callerOf = (sha256: string): Caller | undefined => this.#callers.get(sha256);

  /** Whether the configuration has a token of this name. */
  isConfigured(name: string): boolean {
    return this.#configured.some((token) => token.name === name);
  }

  /** Every token: the configuration's, then the others by name, revoked ones too. */
  list(): ListedToken[] {
    const lastUsedAt = (name: string): number | null => this.#usedAt.get(name) ?? null;
    const configured = this.#configured.map(({ name, role }): ListedToken => ({
      name,
      role,
      source: 'config',
      state: 'active',
      changedSeq: null,
      changedAt: null,
      changedBy: null,
      reason: null,
      lastUsedAt: lastUsedAt(name),
    }));
    const issued = this.#issued.map((change): ListedToken => ({
      name: change.name,
      role: change.role,
      source: 'api',
      state: change.sha256 === null ? 'revoked' : 'active',
      changedSeq: change.seq,
      changedAt: change.changedAt,
      changedBy: change.actor,
      reason: change.reason,
      lastUsedAt: lastUsedAt(change.name),
    }));
    return [...configured, ...issued.toSorted((a, b) => (a.name < b.name ? -1 : 1))];
  }
}
