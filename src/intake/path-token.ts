import { timingSafeEqual } from 'node:crypto';

/**
 * The secret part of the webhook URL: the service's deliveries carry no credentials (spec, "Webhook
 * destination"), so an unguessable path is what tells them from anybody's. Several tokens may live
 * at once, so that one can be rotated without losing deliveries.
 */
export class PathTokens {
  readonly #known: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.#known = tokens.map((token) => Buffer.from(token));
  }

  /** Takes the same time wherever a token differs; only how long the known ones are can be told by it. */
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
