import type { Logger } from '../../ops/log.ts';
import type { RefusedCertificate } from './certificate-gate.ts';
import type { CertificateRefusal } from './certificate-rules.ts';

/** Shortest interval between two log lines of one cause: a refused sender keeps trying. */
const BETWEEN_LINES_MS_MIN = 60_000;

/** Logged length of a header's name. */
const SHOWN_CHARACTERS_MAX = 100;

/** What happened and what to do, by reason. */
const ADVICE: Readonly<Record<CertificateRefusal, string>> = {
  missing:
    'they came without a client certificate; configure the proxy to require one and to send it in the form of intake.clientCertificate.form',
  malformed:
    'the client certificate cannot be read; the proxy must send it exactly in the form of intake.clientCertificate.form',
  duplicate:
    'they have more than one client certificate; the proxy must remove the header of its clients before it sets its own',
  other_form:
    'they have a certificate header of another form or spelling than intake.clientCertificate names; the proxy must remove every certificate header of its clients',
  wrong_peer:
    'they did not come from a peer of intake.clientCertificate.from; close the port to others, or add the proxy there',
  expired:
    'the client certificate has ended; ask the custody service for its new one, and pin that',
  not_yet_valid:
    'the client certificate is not valid yet; check the clock of this machine, and ask the custody service',
  wrong_usage: 'the client certificate is not for TLS clients (extended key usage clientAuth)',
  wrong_issuer:
    'the client certificate is not from the configured authority (intake.clientCertificate.issuerFile, or listen.tls.caFile)',
  not_pinned:
    "the client certificate is not pinned; if it is the custody service's, add the pin of this line to intake.clientCertificate.pins",
  wrong_name:
    'the client certificate has none of the alternative names in intake.clientCertificate.names',
};

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

/** What is counted apart: forgeries must not hide that the service's own certificate ended. */
type Cause = CertificateRefusal | 'token' | 'connection' | 'unproxied' | 'busy';

/** Logs senders that are refused, with advice. Keeps one count and one time per cause. */
export class RefusedSenders {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #repeats = new Map<Cause, Repeats>();

  /** `now`: a monotonic clock, milliseconds. */
  constructor(options: { readonly log: Logger; readonly now: () => number }) {
    this.#log = options.log;
    this.#now = options.now;
  }

  /** Names the reason, the peer and the certificate's pins: the answer says none of it. */
  certificate({ reason, peer, certificate }: RefusedCertificate): void {
    const [pin, publicKeyPin] = certificate?.pins ?? [];
    const shown =
      certificate === null ? {} : { pin, publicKeyPin, validTo: certificate.x509.validTo };
    const text = `deliveries are refused (403): ${ADVICE[reason]}`;
    this.#warn(reason, text, { reason, peer, ...shown });
  }

  /** `header`: the name of a certificate header, while no certificate is required. */
  ignored(header: string): void {
    this.#log.warn(
      { header: header.slice(0, SHOWN_CHARACTERS_MAX) },
      'a delivery has a client certificate in a header, which is ignored: intake.clientCertificate is not set; set it, or let the proxy remove the header',
    );
  }

  /** Never logs the token received: it may be a valid token with a typing error. */
  token(): void {
    this.#warn(
      'token',
      'requests are refused (404): their path token is not in intake.pathTokens; if the custody service sends them, `counterfoil subscribe --check` lists vaults that do not deliver to custody.webhookUrl, and `counterfoil doctor` checks the token in that URL',
    );
  }

  /** A delivery that the queue or the store does not take now. */
  busy(): void {
    this.#warn(
      'busy',
      'deliveries are answered 503, and the custody service repeats them; if no other line says that the store takes nothing, too many wait at once: the disk is too slow, or intake.queueMax is too small',
    );
  }

  /** `cause`: why `listen.tls` refused the certificate. */
  connection(cause: string): void {
    const text = `connections are refused: their client certificate is not accepted (${cause}); if they come from the custody service, put the certificate's authority into listen.tls.caFile`;
    this.#warn('connection', text, { cause });
  }

  /** `peer`: the address of whoever opened a connection without the PROXY protocol. */
  unproxied(peer: string): void {
    this.#warn(
      'unproxied',
      'connections are refused: they do not begin with a PROXY protocol header; let the proxy send one, or set listen.proxyProtocol to false',
      { peer },
    );
  }

  #warn(cause: Cause, text: string, about: object = {}): void {
    const repeats = this.#repeats.get(cause) ?? new Repeats(this.#now);
    this.#repeats.set(cause, repeats);
    const refused = repeats.count();
    if (refused !== null) this.#log.warn({ refused, ...about }, text);
  }
}
