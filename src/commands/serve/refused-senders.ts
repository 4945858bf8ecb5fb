import type { Logger } from '../../ops/log.ts';

/** A sender that is refused tries again and again. */
const BETWEEN_LINES_MS_MIN = 60_000;

/** Fingerprints and subjects are shorter; a header may be as long as 16 KiB. */
const SHOWN_CHARACTERS_MAX = 300;

/** Counts what happens again and again: the first is due at once, then at most one a minute. */
class Repeats {
  readonly #now: () => number;
  #toldAt = Number.NEGATIVE_INFINITY;
  #since = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How often it happened since it was told last, this time included; null: not to be told yet. */
  count(): number | null {
    this.#since += 1;
    const now = this.#now();
    if (now - this.#toldAt < BETWEEN_LINES_MS_MIN) return null;
    const count = this.#since;
    this.#toldAt = now;
    this.#since = 0;
    return count;
  }
}

/**
 * Says in the log who is refused before anything of a delivery is read, with what to do. Keeps a
 * count and a time of each cause, however many come and whatever they bring.
 */
export class RefusedSenders {
  readonly #log: Logger;
  readonly #certificates: Repeats;
  readonly #tokens: Repeats;
  readonly #connections: Repeats;

  /** `now`: milliseconds of a clock that nobody sets. */
  constructor(options: { readonly log: Logger; readonly now: () => number }) {
    this.#log = options.log;
    this.#certificates = new Repeats(options.now);
    this.#tokens = new Repeats(options.now);
    this.#connections = new Repeats(options.now);
  }

  /** `handed`: what the proxy says of the sender's certificate in `header`; null: nothing. */
  certificate(header: string, handed: string | null): void {
    const refused = this.#certificates.count();
    if (refused === null) return;
    if (handed === null) {
      this.#log.warn(
        { refused, header },
        `deliveries are refused (403): nothing came in the header ${header}; let the proxy hand on the sender's certificate in it, and nobody come around the proxy`,
      );
      return;
    }
    const certificate = shown(handed);
    this.#log.warn(
      { refused, header, certificate },
      `deliveries are refused (403): the certificate ${JSON.stringify(certificate)} is not in intake.clientCertificate.allow; if it is the custody service's, add it there as it stands here, and restart`,
    );
  }

  /** What came in place of a token is never said: it may be one that was written wrong by a letter. */
  token(): void {
    const refused = this.#tokens.count();
    if (refused === null) return;
    this.#log.warn(
      { refused },
      'requests are refused (404): their path token is none of intake.pathTokens; if the custody service sends them, `counterfoil subscribe --check` says which vaults deliver elsewhere than to custody.webhookUrl, and `counterfoil doctor` whether that has a token of ours',
    );
  }

  /** `cause`: what `listen.tls` has against the certificate, before anybody says what is wanted. */
  connection(cause: string): void {
    const refused = this.#connections.count();
    if (refused === null) return;
    this.#log.warn(
      { refused, cause },
      `connections are refused: their client certificate is not accepted (${cause}); if the custody service makes them, let listen.tls.caFile hold the authority of its certificate`,
    );
  }
}

function shown(text: string): string {
  return text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`;
}
