import type { Caller } from '../access.ts';
import { OpenSessions } from './open-sessions.ts';

/** Somebody who has signed in at the console. Times are Unix milliseconds. */
export interface SignedInPerson extends Caller {
  /** By a token, or at the identity provider. */
  readonly by: 'token' | 'provider';
  readonly lastSignedInAt: number;
}

/** Most people remembered; forgets who signed in longest ago. */
const PEOPLE_MAX = 1_000;

/** Who has signed in at the console, each with the last time. */
export class SignedInPeople {
  /** Who of them is signed in now. */
  readonly sessions = new OpenSessions();
  readonly #people = new Map<string, SignedInPerson>();

  note(person: SignedInPerson): void {
    // Deleted first: the map stays in the order of the last sign-ins.
    this.#people.delete(person.name);
    this.#people.set(person.name, person);
    const [oldest] = this.#people.keys();
    if (oldest !== undefined && this.#people.size > PEOPLE_MAX) this.#people.delete(oldest);
  }

  /** The newest sign-in first. */
  list(): SignedInPerson[] {
    return [...this.#people.values()].toReversed();
  }
}
