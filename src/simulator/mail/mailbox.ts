import type { Table } from '../state/table.ts';

/** Mails kept for `GET /sim/mailbox`. Beyond this number the oldest is deleted. */
const MAILS_MAX = 1000;

/** A mail that the core wrote. `sentAt` is Unix epoch milliseconds. */
export interface Mail {
  readonly mailId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly code: string;
  readonly sentAt: number;
  /** The mail server's result; absent when no mail server is configured. */
  readonly relay?: 'pending' | 'sent' | 'failed';
}

/** Sends a mail through a mail server and returns whether the server accepted it. Never rejects. */
export type Relay = (mail: Mail) => Promise<'sent' | 'failed'>;

/** Every mail of the core, with or without a mail server. */
export class Mailbox {
  readonly #mails: Table<Mail>;
  readonly #relay: Relay | undefined;

  constructor(mails: Table<Mail>, relay?: Relay) {
    this.#mails = mails;
    this.#relay = relay;
  }

  /**
   * Stores the mail and returns at once. The response time must not reveal whether a user exists.
   */
  post(letter: Omit<Mail, 'mailId' | 'relay'>): void {
    const kept = [...this.#mails.list()];
    const mailId = String(Number(kept.at(-1)?.mailId ?? 0) + 1);
    const relayed = this.#relay === undefined ? {} : { relay: 'pending' as const };
    const mail: Mail = { mailId, ...letter, ...relayed };
    this.#mails.put(mailId, mail);
    if (kept[0] !== undefined && kept.length >= MAILS_MAX) this.#mails.delete(kept[0].mailId);
    if (this.#relay !== undefined) void this.#send(mail, this.#relay);
  }

  /** Mails to an address, in any case, oldest first. Without an address: all mails. */
  to(email: string | undefined): Mail[] {
    const wanted = email?.toLowerCase();
    return [...this.#mails.list()].filter(
      (mail) => wanted === undefined || mail.to.toLowerCase() === wanted,
    );
  }

  async #send(mail: Mail, relay: Relay): Promise<void> {
    const outcome = await relay(mail);
    // A restore may have deleted the mail, or stored another under its id.
    if (this.#mails.get(mail.mailId) !== mail) return;
    this.#mails.put(mail.mailId, { ...mail, relay: outcome });
  }
}
