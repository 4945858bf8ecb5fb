import type { Logger } from '../../ops/log.ts';
import type { Owner } from '../../store/replicated/shared-journal.ts';
import type { OwnerClient } from './owner-client.ts';

/** Pause between two questions. */
const ASK_MS = 2_000;
/** While an owner changes, facts wait for it: a shorter silence keeps nobody from serving. */
const UNREACHED_MS = 10_000;

interface OwnerWatchOptions {
  readonly client: Pick<OwnerClient, 'hand'>;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Called when the owner begins, or ceases, to take nothing from this receiver. */
  readonly observe: (isShutOut: boolean) => void;
}

/**
 * Whether the owner takes what this follower hands on. It asks with a frame without facts, so that a
 * receiver which cannot serve says so in `/readyz`, although nothing arrives any more.
 */
export class OwnerWatch {
  readonly #options: OwnerWatchOptions;
  #owner: Owner | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Since when the owner does not answer as an owner. */
  #silentSince: number | null = null;
  #cause: string | null = null;

  constructor(options: OwnerWatchOptions) {
    this.#options = options;
  }

  /** Why the owner takes nothing from this receiver, and what to do; else null. */
  get cause(): string | null {
    return this.#cause;
  }

  /** Begins to ask this owner; null asks nobody. What a former owner did is forgotten. */
  follow(owner: Owner | null): void {
    this.#owner = owner;
    clearTimeout(this.#timer);
    this.#silentSince = null;
    if (this.#cause !== null) this.#options.observe(false);
    this.#cause = null;
    if (owner !== null) this.#again();
  }

  end(): void {
    this.follow(null);
  }

  #again(): void {
    this.#timer = setTimeout(() => void this.#ask(), ASK_MS).unref();
  }

  async #ask(): Promise<void> {
    const owner = this.#owner;
    if (owner === null) return;
    const handed = await this.#options.client.hand(owner, []);
    if (this.#owner !== owner) return;
    switch (handed.kind) {
      case 'answered':
      case 'busy':
        this.#silentSince = null;
        this.#change(null);
        break;
      case 'refused':
        this.#silentSince = null;
        this.#change(handed.cause);
        break;
      case 'not_owner':
        // An owner that changes is gone in a moment. One that stays takes no facts of anybody.
        this.#silent(`the owner ${owner.name} takes no facts in epoch ${owner.epoch}: see its log`);
        break;
      case 'unreached':
      case 'unknown':
        this.#silent(handed.cause);
        break;
      default:
        handed satisfies never;
    }
    this.#again();
  }

  #silent(cause: string): void {
    const now = this.#options.clock();
    this.#silentSince ??= now;
    if (now - this.#silentSince < UNREACHED_MS) return;
    this.#change(cause);
  }

  #change(cause: string | null): void {
    if (cause === this.#cause) return;
    const { log, observe } = this.#options;
    if (cause === null) log.info('the owner takes facts of this receiver again');
    else
      log.error({ cause }, 'the owner takes nothing from this receiver; senders get 503 and retry');
    this.#cause = cause;
    observe(cause !== null);
  }
}
