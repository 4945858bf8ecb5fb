import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const credential = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('token'), sha256: z.string() }),
  z.object({
    kind: z.literal('provider'),
    issuer: z.string(),
    name: z.string(),
    group: z.string(),
  }),
]);

/** How a person signed in: by a token, of which only the SHA-256 is kept, or by a provider's group. */
export type Credential = z.infer<typeof credential>;

const storedSession = z.object({
  /** SHA-256 of the session's id, hex. */
  digest: z.string(),
  credential,
  endsAt: z.number(),
  actedAt: z.number(),
});

/** A session as the file holds it. Times are Unix milliseconds. */
export type StoredSession = z.infer<typeof storedSession>;

/** Only the daemon's user may read it. */
const MODE = 0o600;

/** Sessions in a file, so that a restart signs nobody out. Holds no token and no session id. */
export class SessionFile {
  readonly #path: string;
  readonly #onFailure: (error: unknown) => void;

  /** `onFailure` receives what keeps the file from being read or written: sessions then end with a restart. */
  constructor(options: { path: string; onFailure: (error: unknown) => void }) {
    this.#path = options.path;
    this.#onFailure = options.onFailure;
  }

  /** The sessions of the last process; none when there is no file. */
  read(): StoredSession[] {
    try {
      return z.array(storedSession).parse(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch (error) {
      if (!isMissing(error)) this.#onFailure(error);
      return [];
    }
  }

  /**
   * Replaces the file in one step, so that a crash leaves the former one or this one. A file that
   * cannot be replaced is removed: a restart must not open a session again that has ended.
   */
  write(sessions: readonly StoredSession[]): void {
    const next = `${this.#path}.next`;
    try {
      writeFileSync(next, JSON.stringify(sessions), { mode: MODE });
      renameSync(next, this.#path);
    } catch (error) {
      this.#onFailure(error);
      this.#remove();
    }
  }

  #remove(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
