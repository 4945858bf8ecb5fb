import { createTransport } from 'nodemailer';
import type { Clock } from '../clock.ts';
import type { Mail } from './mailbox.ts';

/** Timeout of a mail server in milliseconds, on the machine's clock. */
const SERVER_TIMEOUT_MS = 10_000;
/** Mails that may wait for a slow server. Anybody may request codes, so the number is bounded. */
const UNDER_WAY_MAX = 50;

export const MAIL_FROM_DEFAULT = 'custody-core@localhost';

export interface SmtpSenderOptions {
  /** `smtp://[user:password@]host:port`, or `smtps://` for TLS from the first byte. */
  readonly smtpUrl: string;
  readonly from: string;
  readonly clock: Clock;
  /**
   * Called for every mail that the server did not accept. The message never contains the mail's
   * text.
   */
  readonly onProblem: (message: string) => void;
}

/** Sends mails to a mail server, each over its own connection. */
export class SmtpSender {
  readonly #options: SmtpSenderOptions;
  readonly #transport: ReturnType<typeof createTransport>;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(options: SmtpSenderOptions) {
    this.#options = options;
    this.#transport = createTransport({
      url: options.smtpUrl,
      connectionTimeout: SERVER_TIMEOUT_MS,
      greetingTimeout: SERVER_TIMEOUT_MS,
      socketTimeout: SERVER_TIMEOUT_MS,
    });
  }

  /** Tries once. A user without a mail requests another code. */
  deliver(mail: Mail): Promise<'sent' | 'failed'> {
    if (this.#underWay.size >= UNDER_WAY_MAX) {
      this.#options.onProblem(
        `mail ${mail.mailId} was not sent: too many mails wait for the mail server`,
      );
      return Promise.resolve('failed');
    }
    const delivery = this.#deliver(mail);
    this.#underWay.add(delivery);
    void delivery.then(() => this.#underWay.delete(delivery));
    this.#options.clock.hold(delivery);
    return delivery;
  }

  /** Aborts the mails that are being sent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#underWay);
    this.#transport.close();
  }

  async #deliver({ mailId, to, subject, text }: Mail): Promise<'sent' | 'failed'> {
    const { from, onProblem } = this.#options;
    try {
      // An address given as text would be parsed and could name several recipients.
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
