import { setTimeout } from 'node:timers/promises';
import type { TokenBook } from '../../api/people/token-book.ts';
import type { Lifecycle } from '../../ops/lifecycle.ts';
import type { Logger } from '../../ops/log.ts';
import type { Reads } from '../../store/reads.ts';

interface Tokens {
  readonly tokens: TokenBook;
  readonly reads: Pick<Reads, 'tokenChanges'>;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/** From a failed reading of the tokens to the next one. */
const RETRY_MS = 2_000;

/** Kinds of decisions about tokens. */
const KINDS = ['create-token', 'rotate-token', 'revoke-token'] as const;

/** Whether facts of these kinds change tokens. */
export function changesTokens(kinds: ReadonlySet<string>): boolean {
  return KINDS.some((kind) => kinds.has(kind));
}

/** Lets the book take over the tokens that people made at run time. */
export async function takeTokens({ tokens, reads }: Tokens): Promise<void> {
  tokens.take(await reads.tokenChanges());
}

/** Warns of names that the configuration and tokens made at run time share. */
export function warnOfSharedNames({ tokens, log }: Pick<Tokens, 'tokens' | 'log'>): void {
  const made = tokens.list().filter(({ source }) => source === 'api');
  const names = made.map(({ name }) => name).filter((name) => tokens.isConfigured(name));
  if (names.length === 0) return;
  log.warn(
    { names },
    'these names belong to a token in api.tokens and to a token made at run time: the journal cannot distinguish their users. Rename the tokens in the configuration',
  );
}

/** What reading in the background needs beside the tokens. */
interface Following extends Tokens {
  readonly lifecycle: Pick<Lifecycle, 'stopping'>;
  /** Waits so many milliseconds; the wait alone does not keep the process running. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/**
 * Takes over tokens in the background: one read at a time, and one more after a call meanwhile. Reads
 * again after a failure, because no later call may come, and a revoked token would stay valid.
 */
export function tokenFollower(context: Following): () => void {
  let state: 'idle' | 'reading' | 'again' = 'idle';
  const read = async (): Promise<void> => {
    do {
      state = 'reading';
      await untilTaken(context);
    } while ((state as string) === 'again');
    state = 'idle';
  };
  return () => {
    if (state === 'idle') void read();
    else state = 'again';
  };
}

async function untilTaken(context: Following): Promise<void> {
  const { log, lifecycle, pause = unlessEnded } = context;
  for (;;) {
    try {
      await takeTokens(context);
      return;
    } catch (error) {
      // The store closes during a shutdown.
      if (lifecycle.stopping) return;
      log.error(
        { err: error },
        'reading the tokens that people made failed: a token that was revoked may still be valid here. Retrying',
      );
      await pause(RETRY_MS);
    }
  }
}

function unlessEnded(ms: number): Promise<void> {
  return setTimeout(ms, undefined, { ref: false });
}
