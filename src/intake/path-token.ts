import { timingSafeEqual } from 'node:crypto';

/**
 * The secret part of the webhook URL. The service's deliveries carry no credentials (spec, "Webhook
 * destination"), so only an unguessable path distinguishes them. Several tokens may be valid at
 * once, so that a token can be rotated without losing deliveries.
 */
export class PathTokens {
  readonly #known: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.#known = tokens.map((token) => Buffer.from(token));
  }

  /** Compares in constant time: the duration reveals only the lengths of known tokens. */
  accepts(token: string): boolean {
    const given = Buffer.from(token);
    let accepted = false;
    for (const known of this.#known) {
      const isSame = known.length === given.length && timingSafeEqual(known, given);
      accepted = isSame || accepted;
    }
    return accepted;
  }
}
