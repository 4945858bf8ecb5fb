import { z } from 'zod';
import { notification } from '../../src/wire/notification.ts';
import type { Notification } from '../../src/wire/notification.ts';
import { listenOnLoopback } from '../loopback-receiver.ts';
import type { Arrival, LoopbackReceiver, Reply } from '../loopback-receiver.ts';

/** One received webhook. */
export interface Hit extends Omit<Arrival, 'raw'> {
  readonly text: string;
  readonly body: Notification;
}

/** A receiver that keeps its requests. Every body must be a notification of the wire schema. */
export interface WebhookReceiver extends LoopbackReceiver {
  readonly hits: Hit[];
  /** Bodies that were no valid notification, with their errors. */
  readonly malformed: string[];
  reply: (hit: Hit) => Reply | Promise<Reply>;
  /** Resolves when the condition holds; checks it after each request. */
  until(condition: () => boolean): Promise<void>;
  /** Deletes all requests and answers 200 again. */
  clear(): void;
}

const always200 = (): Reply => 200;

export async function startReceiver(): Promise<WebhookReceiver> {
  const hits: Hit[] = [];
  const malformed: string[] = [];
  const waiters = new Set<() => void>();
  const take = ({ raw, ...arrival }: Arrival): Reply | Promise<Reply> => {
    const text = raw.toString();
    const parsed = notification.safeParse(JSON.parse(text));
    if (!parsed.success) {
      malformed.push(`${text}\n${z.prettifyError(parsed.error)}`);
      return 200;
    }
    const hit: Hit = { ...arrival, text, body: parsed.data };
    hits.push(hit);
    for (const wake of waiters) wake();
    return receiver.reply(hit);
  };
  const receiver: WebhookReceiver = {
    ...(await listenOnLoopback(take)),
    hits,
    malformed,
    reply: always200,
    until: (condition) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!condition()) return;
          waiters.delete(look);
          resolve();
        };
        waiters.add(look);
        look();
      }),
    clear() {
      hits.length = 0;
      receiver.reply = always200;
    },
  };
  return receiver;
}
