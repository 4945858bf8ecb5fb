import { randomInt } from 'node:crypto';
import type { Mailbox } from '../mail/mailbox.ts';
import type { Table } from '../state/table.ts';

export const LOGIN_CODE_MS = 10 * 60_000;
export const LOGIN_CODE_TRIES_MAX = 5;

/** The newest login code of an e-mail address; an older one is dead the moment this is written. */
export interface LoginCode {
  readonly email: string;
  readonly code: string;
  readonly expiresAt: number;
  readonly triesLeft: number;
}

/** One-time login codes: 6 digits, 10 minutes, one use, 5 tries, only the newest. */
export class LoginCodes {
  readonly #codes: Table<LoginCode>;
  readonly #mailbox: Mailbox;

  constructor(codes: Table<LoginCode>, mailbox: Mailbox) {
    this.#codes = codes;
    this.#mailbox = mailbox;
  }

  /** Mails a fresh code. */
  send(email: string, nowMs: number): void {
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const key = email.toLowerCase();
    this.#codes.put(key, {
      email,
      code,
      expiresAt: nowMs + LOGIN_CODE_MS,
      triesLeft: LOGIN_CODE_TRIES_MAX,
    });
    this.#mailbox.post({
      to: email,
      subject: 'Your login code',
      text: `Your login code is ${code}. It is valid for 10 minutes.`,
      code,
      sentAt: nowMs,
    });
  }

  /** Uses up the code when it is right, one try when it is wrong. */
  redeem(email: string, given: string, nowMs: number): boolean {
    const key = email.toLowerCase();
    const known = this.#codes.get(key);
    if (known === undefined) return false;
    if (nowMs >= known.expiresAt) {
      this.#codes.delete(key);
      return false;
    }
    const right = given === known.code;
    if (right || known.triesLeft <= 1) this.#codes.delete(key);
    else this.#codes.put(key, { ...known, triesLeft: known.triesLeft - 1 });
    return right;
  }
}
