import { randomInt } from 'node:crypto';
import type { Mailbox } from '../mail/mailbox.ts';
import type { Table } from '../state/table.ts';

/** Lifetime of a login code in milliseconds, on the core's clock. */
export const LOGIN_CODE_MS = 10 * 60_000;
const LOGIN_CODE_TRIES_MAX = 5;

/** The newest login code of an e-mail address. It replaces the earlier one. */
export interface LoginCode {
  readonly email: string;
  readonly code: string;
  readonly expiresAt: number;
  readonly triesLeft: number;
}

/**
 * One-time login codes of 6 digits, valid for 10 minutes, one use and 5 tries. Only the newest code
 * of an address is valid (the specification, section "Session tokens", 1 and 2).
 */
export class LoginCodes {
  readonly #codes: Table<LoginCode>;
  readonly #mailbox: Mailbox;

  constructor(codes: Table<LoginCode>, mailbox: Mailbox) {
    this.#codes = codes;
    this.#mailbox = mailbox;
  }

  /** Makes a new code and mails it. */
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

  /** Returns whether the code is right. A right code is used up; a wrong one uses up one try. */
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
