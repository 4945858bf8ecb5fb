import { randomInt } from 'node:crypto';
import type { Table } from '../state/table.ts';

export const LOGIN_CODE_MS = 10 * 60_000;
export const LOGIN_CODE_TRIES_MAX = 5;
/** Mails kept for `GET /sim/mailbox`; the oldest give way. */
const MAILS_MAX = 1000;

/** The newest login code of an e-mail address; an older one is dead the moment this is written. */
export interface LoginCode {
  readonly email: string;
  readonly code: string;
  readonly expiresAt: number;
  readonly triesLeft: number;
}

/** A mail that would have been sent. `sentAt` is Unix epoch milliseconds. */
export interface Mail {
  readonly mailId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly code: string;
  readonly sentAt: number;
}

/** One-time login codes: 6 digits, 10 minutes, one use, 5 tries, only the newest. */
export class LoginCodes {
  readonly #codes: Table<LoginCode>;
  readonly #mails: Table<Mail>;

  constructor(codes: Table<LoginCode>, mails: Table<Mail>) {
    this.#codes = codes;
    this.#mails = mails;
  }

  /** Sends a fresh code to the mailbox of the simulated core. */
  send(email: string, nowMs: number): void {
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const key = email.toLowerCase();
    this.#codes.put(key, {
      email,
      code,
      expiresAt: nowMs + LOGIN_CODE_MS,
      triesLeft: LOGIN_CODE_TRIES_MAX,
    });
    const kept = [...this.#mails.list()];
    const mailId = String(Number(kept.at(-1)?.mailId ?? 0) + 1);
    this.#mails.put(mailId, {
      mailId,
      to: email,
      subject: 'Your login code',
      text: `Your login code is ${code}. It is valid for 10 minutes.`,
      code,
      sentAt: nowMs,
    });
    if (kept[0] !== undefined && kept.length >= MAILS_MAX) this.#mails.delete(kept[0].mailId);
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

  mailsTo(email: string | undefined): Mail[] {
    const wanted = email?.toLowerCase();
    return [...this.#mails.list()].filter(
      (mail) => wanted === undefined || mail.to.toLowerCase() === wanted,
    );
  }
}
