import { randomUUID } from 'node:crypto';
import type { Message } from '../../pages/parts/notice.tsx';

/** Messages that no page has shown yet. A browser that never follows its redirect leaves one. */
const MESSAGES_MAX = 100;

/** Messages about results, each shown once. The inspector has no sessions: the link names its own. */
export class Messages {
  readonly #kept = new Map<string, Message>();

  /** Keeps a message and returns its id. */
  leave(message: Message): string {
    const id = randomUUID();
    this.#kept.set(id, message);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MESSAGES_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return id;
  }

  take(id: string | undefined): Message | null {
    const message = id === undefined ? undefined : this.#kept.get(id);
    if (id === undefined || message === undefined) return null;
    this.#kept.delete(id);
    return message;
  }
}
