import { Listeners } from '../../pages/live/listeners.ts';
import { TOPICS, topicsOf } from './topics.ts';

/** Announces to open pages what commits changed. */
export class Changes extends Listeners {
  /** `kinds`: of the facts that a commit took. */
  committed(kinds: ReadonlySet<string>): void {
    if (this.listening > 0) this.announce(topicsOf(kinds));
  }

  /** Anything may have changed. */
  everything(): void {
    if (this.listening > 0) this.announce(new Set(TOPICS));
  }
}
