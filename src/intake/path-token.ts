import { hash, timingSafeEqual } from 'node:crypto';

/**
 * The secret part of the webhook URL: the service's deliveries carry no credentials (spec, "Webhook
 * destination"), so an unguessable path is what tells them from anybody's. Only hashes are kept in
 * memory; several tokens may live at once, so that one can be rotated without losing deliveries.
 */
export class PathTokens {
  readonly #hashes: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.#hashes = tokens.map(hashOf);
  }

  /** Takes the same time whatever the token is and wherever it differs. */
  accepts(token: string): boolean {
    const given = hashOf(token);
    let accepted = false;
    for (const known of this.#hashes) accepted = timingSafeEqual(known, given) || accepted;
    return accepted;
  }
}

function hashOf(token: string): Buffer {
  return Buffer.from(hash('sha256', token, 'hex'), 'latin1');
}
