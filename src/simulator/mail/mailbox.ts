import type { Table } from '../state/table.ts';

/** Mails kept for `GET /sim/mailbox`; the oldest give way. */
const MAILS_MAX = 1000;

/** A mail of the core. `sentAt` is Unix epoch milliseconds. */
export interface Mail {
  readonly mailId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly code: string;
  readonly sentAt: number;
  /** What became of it at the mail server; absent when none is configured. */
  readonly relay?: 'pending' | 'sent' | 'failed';
}

/** Takes mails to a real mail server; answers whether it was accepted, and never rejects. */
export type Relay = (mail: Mail) => Promise<'sent' | 'failed'>;

/** Every mail of the core, whether or not it also goes to a mail server. */
export class Mailbox {
  readonly #mails: Table<Mail>;
  readonly #relay: Relay | undefined;

  constructor(mails: Table<Mail>, relay?: Relay) {
    this.#mails = mails;
    this.#relay = relay;
  }

  /** Returns at once: how long a mail server takes must not tell whether a user exists. */
  post(letter: Omit<Mail, 'mailId' | 'relay'>): void {
    const kept = [...this.#mails.list()];
    const mailId = String(Number(kept.at(-1)?.mailId ?? 0) + 1);
    const relayed = this.#relay === undefined ? {} : { relay: 'pending' as const };
    const mail: Mail = { mailId, ...letter, ...relayed };
    this.#mails.put(mailId, mail);
    if (kept[0] !== undefined && kept.length >= MAILS_MAX) this.#mails.delete(kept[0].mailId);
    if (this.#relay !== undefined) void this.#send(mail, this.#relay);
  }

  /** Mails to an address, whatever its case; all when left out. Oldest first. */
  to(email: string | undefined): Mail[] {
    const wanted = email?.toLowerCase();
    return [...this.#mails.list()].filter(
      (mail) => wanted === undefined || mail.to.toLowerCase() === wanted,
    );
  }

  async #send(mail: Mail, relay: Relay): Promise<void> {
    const outcome = await relay(mail);
    // A restore may have taken the mail away, or put another in its place.
    if (this.#mails.get(mail.mailId) !== mail) return;
    this.#mails.put(mail.mailId, { ...mail, relay: outcome });
  }
}
