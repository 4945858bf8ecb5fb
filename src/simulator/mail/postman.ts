import { createTransport } from 'nodemailer';
import type { Clock } from '../clock.ts';
import type { Mail } from './mailbox.ts';

/** A mail server that answers nothing for this long has failed, on the machine's clock. */
const SERVER_TIMEOUT_MS = 10_000;
/** Anybody may ask for codes, so what waits for a slow server is bounded. */
const UNDER_WAY_MAX = 50;

export const MAIL_FROM_DEFAULT = 'custody-core@localhost';

export interface PostmanOptions {
  /** `smtp://[user:password@]host:port`, or `smtps://` for TLS from the first byte. */
  readonly smtpUrl: string;
  readonly from: string;
  readonly clock: Clock;
  /** Told of every mail that was not accepted; never of its text. */
  readonly onProblem: (message: string) => void;
}

/** Takes mails to a mail server, each over a connection of its own. */
export class Postman {
  readonly #options: PostmanOptions;
  readonly #transport: ReturnType<typeof createTransport>;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(options: PostmanOptions) {
    this.#options = options;
    this.#transport = createTransport({
      url: options.smtpUrl,
      connectionTimeout: SERVER_TIMEOUT_MS,
      greetingTimeout: SERVER_TIMEOUT_MS,
      socketTimeout: SERVER_TIMEOUT_MS,
    });
  }

  /** One try: the user asks for another code, which is what they do anyway. */
  deliver(mail: Mail): Promise<'sent' | 'failed'> {
    if (this.#underWay.size >= UNDER_WAY_MAX) {
      this.#options.onProblem(`mail ${mail.mailId} was not sent: too many are under way`);
      return Promise.resolve('failed');
    }
    const delivery = this.#deliver(mail);
    this.#underWay.add(delivery);
    void delivery.then(() => this.#underWay.delete(delivery));
    this.#options.clock.hold(delivery);
    return delivery;
  }

  /** Cuts off what is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#underWay);
    this.#transport.close();
  }

  async #deliver({ mailId, to, subject, text }: Mail): Promise<'sent' | 'failed'> {
    const { from, onProblem } = this.#options;
    try {
      // The address as an object: as text it would be parsed, and could name several.
      const recipient = { name: '', address: to };
      const { signal } = this.#stopping;
      await this.#transport.sendMail({ from, to: recipient, subject, text, signal });
      return 'sent';
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      onProblem(`mail ${mailId} was not sent: ${reason}`);
      return 'failed';
    }
  }
}
