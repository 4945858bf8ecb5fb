import { webhook, type RealReceiver } from './receivers.ts';

const DELIVERIES_AT_ONCE = 50;

/** What a receiver answers to a delivery; a status from 300 is `refused`. */
export async function statusOf(receiver: RealReceiver, number: number): Promise<string> {
  const answer = await receiver.daemon.deliver(webhook(number));
  const { status } = (await answer.json()) as { status: string | number };
  return answer.ok ? String(status) : `refused ${answer.status}`;
}

/** What a receiver answers to deliveries, several at a time. */
export async function statusesOf(
  receiver: RealReceiver,
  numbers: readonly number[],
): Promise<string[]> {
  const statuses: string[] = [];
  for (let from = 0; from < numbers.length; from += DELIVERIES_AT_ONCE) {
    const part = numbers.slice(from, from + DELIVERIES_AT_ONCE);
    statuses.push(...(await Promise.all(part.map((number) => statusOf(receiver, number)))));
  }
  return statuses;
}

/** The deliveries that were acknowledged and that some receiver does not know. */
export async function lostOf(
  { acknowledged }: Sender,
  receivers: readonly RealReceiver[],
): Promise<number[]> {
  const lost = new Set<number>();
  for (const receiver of receivers) {
    const statuses = await statusesOf(receiver, acknowledged);
    for (const [index, number] of acknowledged.entries()) {
      if (statuses[index] !== 'duplicate') lost.add(number);
    }
  }
  return [...lost];
}

/** Delivers numbers from `from` on to receivers in turn, as a proxy does, until `stop` is called. */
export class Sender {
  readonly acknowledged: number[] = [];
  readonly refused: string[] = [];
  /** The longest time between two answers, milliseconds. */
  longestMs = 0;
  #isStopped = false;
  readonly #ended: Promise<void>;

  constructor(receivers: readonly RealReceiver[], from = 1) {
    this.#ended = this.#send(receivers, from);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#ended;
  }

  async #send(receivers: readonly RealReceiver[], from: number): Promise<void> {
    let answeredAt = performance.now();
    for (let number = from; !this.#isStopped; number += 1) {
      const turn = number % receivers.length;
      const order = [...receivers.slice(turn), ...receivers.slice(0, turn)];
      for (const receiver of order) {
        try {
          const status = await statusOf(receiver, number);
          if (status === 'accepted' || status === 'duplicate') this.acknowledged.push(number);
          else this.refused.push(status);
          break;
        } catch {
          // Nobody listens there: a proxy sends the request to the next receiver.
        }
      }
      const now = performance.now();
      this.longestMs = Math.max(this.longestMs, now - answeredAt);
      answeredAt = now;
    }
  }
}
