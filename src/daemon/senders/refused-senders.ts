import type { Logger } from '../../ops/log.ts';

/** Shortest interval between two log lines of one cause: a refused sender keeps trying. */
const BETWEEN_LINES_MS_MIN = 60_000;

/** Logged length of a header value: fingerprints and subjects are shorter. */
const SHOWN_CHARACTERS_MAX = 300;

/** Limits log lines: the first at once, then at most one a minute, with a count. */
class Repeats {
  readonly #now: () => number;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #since = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Occurrences since the last line, this one included; null when no line is due. */
  count(): number | null {
    this.#since += 1;
    const now = this.#now();
    if (now - this.#loggedAt < BETWEEN_LINES_MS_MIN) return null;
    const count = this.#since;
    this.#loggedAt = now;
    this.#since = 0;
    return count;
  }
}

/**
 * Logs senders that are refused before their delivery is read, with advice. Keeps one count and one
 * time per cause.
 */
export class RefusedSenders {
  readonly #log: Logger;
  readonly #certificates: Repeats;
  readonly #tokens: Repeats;
  readonly #connections: Repeats;

  /** `now`: a monotonic clock, milliseconds. */
  constructor(options: { readonly log: Logger; readonly now: () => number }) {
    this.#log = options.log;
    this.#certificates = new Repeats(options.now);
    this.#tokens = new Repeats(options.now);
    this.#connections = new Repeats(options.now);
  }

  /** `handed`: the proxy's value of `header` about the sender's certificate; null when absent. */
  certificate(header: string, handed: string | null): void {
    const refused = this.#certificates.count();
    if (refused === null) return;
    if (handed === null) {
      this.#log.warn(
        { refused, header },
        `deliveries are refused (403): the header ${header} is missing; configure the proxy to send the client certificate in it, and let nobody bypass the proxy`,
      );
      return;
    }
    const certificate = shown(handed);
    this.#log.warn(
      { refused, header, certificate },
      `deliveries are refused (403): the certificate ${JSON.stringify(certificate)} is not in intake.clientCertificate.allow; if it is the custody service's certificate, add exactly this text there and restart`,
    );
  }

  /** Never logs the token received: it may be a valid token with a typing error. */
  token(): void {
    const refused = this.#tokens.count();
    if (refused === null) return;
    this.#log.warn(
      { refused },
      'requests are refused (404): their path token is not in intake.pathTokens; if the custody service sends them, `counterfoil subscribe --check` lists vaults that do not deliver to custody.webhookUrl, and `counterfoil doctor` checks the token in that URL',
    );
  }

  /** `cause`: why `listen.tls` refused the certificate. */
  connection(cause: string): void {
    const refused = this.#connections.count();
    if (refused === null) return;
    this.#log.warn(
      { refused, cause },
      `connections are refused: their client certificate is not accepted (${cause}); if they come from the custody service, put the certificate's authority into listen.tls.caFile`,
    );
  }
}

function shown(text: string): string {
  return text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`;
}
