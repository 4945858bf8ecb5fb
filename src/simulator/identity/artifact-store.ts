import type { Adapter, AdapterPayload } from 'oidc-provider';

/**
 * Artifacts kept of one provider. A login makes about six; beyond this number the oldest is
 * deleted.
 */
const ARTIFACTS_MAX = 10_000;

interface Artifact {
  readonly payload: AdapterPayload;
  readonly expiresAtMs: number;
}

/**
 * Keeps the sessions, codes and tokens of one development identity provider in memory. The
 * library's own store prints a warning, because it is only for a quick start. Times come from the
 * machine's clock, as the library's do.
 */
export class ArtifactStore {
  readonly #artifacts = new Map<string, Artifact>();

  /** The store's adapter for one kind of artifact. */
  adapter(model: string): Adapter {
    const keyOf = (id: string): string => `${model}:${id}`;
    const first = (matches: (payload: AdapterPayload) => boolean): AdapterPayload | undefined =>
      this.#live(`${model}:`).find(matches);
    return {
      upsert: async (id, payload, expiresIn) => this.#put(keyOf(id), payload, expiresIn),
      find: async (id) => this.#get(keyOf(id)),
      findByUid: async (uid) => first((payload) => payload.uid === uid),
      findByUserCode: async (code) => first((payload) => payload.userCode === code),
      consume: async (id) => {
        const payload = this.#get(keyOf(id));
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => void this.#artifacts.delete(keyOf(id)),
      revokeByGrantId: async (grantId) => {
        for (const [key, { payload }] of this.#artifacts) {
          if (payload.grantId === grantId) this.#artifacts.delete(key);
        }
      },
    };
  }

  #put(key: string, payload: AdapterPayload, expiresInSeconds: number | undefined): void {
    const expiresAtMs = Date.now() + (expiresInSeconds ?? Infinity) * 1000;
    this.#artifacts.set(key, { payload, expiresAtMs });
    const [oldest] = this.#artifacts.keys();
    if (this.#artifacts.size > ARTIFACTS_MAX && oldest !== undefined)
      this.#artifacts.delete(oldest);
  }

  #get(key: string): AdapterPayload | undefined {
    const artifact = this.#artifacts.get(key);
    if (artifact === undefined || artifact.expiresAtMs > Date.now()) return artifact?.payload;
    this.#artifacts.delete(key);
    return undefined;
  }

  #live(prefix: string): AdapterPayload[] {
    const keys = [...this.#artifacts.keys()].filter((key) => key.startsWith(prefix));
    return keys.map((key) => this.#get(key)).filter((payload) => payload !== undefined);
  }
}
