import { FORMS, template, type Extras, type Form, type Role } from './template.ts';

/** The events of one deposit or withdrawal; 1 to 9 are a deposit's confirmations. */
export const EVENTS = {
  firstConfirmation: 1,
  lastConfirmation: 9,
  depositOnChain: 10,
  withdrawalSubmitted: 11,
  withdrawalMined: 12,
  withdrawalOnChain: 13,
} as const;

/** Events of one subject; a delivery's number is its subject's number times this, plus its event. */
const EVENTS_PER_SUBJECT = 16;

/** Which delivery it is: of a subject (a deposit or withdrawal, from 0 on) and of an event. */
export function deliveryOf(subject: number, event: number): number {
  return subject * EVENTS_PER_SUBJECT + event;
}

export function eventOf(delivery: number): number {
  return delivery % EVENTS_PER_SUBJECT;
}

export function subjectOf(delivery: number): number {
  return Math.floor(delivery / EVENTS_PER_SUBJECT);
}

const ADDRESSES_PER_VAULT = 10;
const CONFIRMATIONS = '"confirmations":';
const DIGIT_ZERO = 0x30;
const HYPHEN = 0x2d;
const HEX_DIGITS = Buffer.from('0123456789abcdef', 'latin1');
const DIGITS_PER_WORD = 8;

/** A UUID in digits: the hyphens stand before these, and these tell version and variant. */
const UUID_DIGITS = 32;
const UUID_GROUPS_AT = [8, 12, 16, 20];
const UUID_VERSION_AT = 14;
const UUID_VARIANT_AT = 19;
const UUID_HYPHENS_AT = [8, 13, 18, 23];
const VERSION_FOUR = 0x34;

interface IdentifierField {
  readonly role: Role;
  /** Separates the identifiers of one role from those of another. */
  readonly salt: number;
  readonly digits: number;
  /** What the identifier is a function of. */
  readonly of: 'delivery' | 'subject' | 'vault' | 'account' | 'address';
}

const IDENTIFIER_FIELDS: readonly IdentifierField[] = [
  { role: 'notification', salt: 1, digits: UUID_DIGITS, of: 'delivery' },
  { role: 'hash', salt: 2, digits: 64, of: 'subject' },
  { role: 'transaction', salt: 3, digits: UUID_DIGITS, of: 'subject' },
  { role: 'order', salt: 4, digits: UUID_DIGITS, of: 'subject' },
  { role: 'counterparty', salt: 5, digits: 40, of: 'subject' },
  { role: 'vault', salt: 6, digits: UUID_DIGITS, of: 'vault' },
  { role: 'account', salt: 7, digits: UUID_DIGITS, of: 'account' },
  { role: 'address', salt: 8, digits: UUID_DIGITS, of: 'address' },
  { role: 'networkAddress', salt: 9, digits: 40, of: 'address' },
  { role: 'customer', salt: 10, digits: UUID_DIGITS, of: 'address' },
  { role: 'reference', salt: 11, digits: 64, of: 'address' },
  { role: 'block', salt: 12, digits: 64, of: 'delivery' },
  { role: 'trace', salt: 13, digits: UUID_DIGITS, of: 'delivery' },
];

interface Slot {
  readonly field: IdentifierField;
  readonly at: number;
}

interface Pattern {
  readonly bytes: Buffer;
  readonly slots: readonly Slot[];
  /** The index of the one digit of the confirmations; null in a form without any. */
  readonly confirmationsAt: number | null;
}

/** A bijection of 32-bit words whose outputs look random (the finalizer of MurmurHash3). */
function scatter(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}

/** Text of an identifier's length that occurs nowhere else in a delivery. */
function markOf({ role, digits }: IdentifierField): string {
  const hyphens = digits === UUID_DIGITS ? UUID_GROUPS_AT.length : 0;
  return `<${role}>`.padEnd(digits + hyphens, '.');
}

function patternOf(form: Form, extras: Extras, headOf: (bodyBytes: number) => string): Pattern {
  const marks = new Map(IDENTIFIER_FIELDS.map((field) => [field.role, markOf(field)]));
  const body = JSON.stringify(template(form, (role) => marks.get(role) ?? role, extras));
  const text = `${headOf(body.length)}${body}`;
  const slots: Slot[] = [];
  for (const field of IDENTIFIER_FIELDS) {
    const mark = markOf(field);
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      slots.push({ field, at });
    }
  }
  const confirmationsAt = text.indexOf(CONFIRMATIONS);
  return {
    bytes: Buffer.from(text, 'latin1'),
    slots,
    confirmationsAt: confirmationsAt < 0 ? null : confirmationsAt + CONFIRMATIONS.length,
  };
}

/** How far from an identifier's beginning each digit of a UUID is. */
const UUID_OFFSETS = Uint8Array.from(
  { length: UUID_DIGITS },
  (_, digit) => digit + UUID_GROUPS_AT.filter((group) => group <= digit).length,
);

function writeIdentifier(into: Buffer, { field, at }: Slot, seed: number, number: number): void {
  const { digits, salt } = field;
  const isUuid = digits === UUID_DIGITS;
  for (let digit = 0; digit < digits;) {
    let word = scatter(
      number ^ scatter(seed ^ Math.imul(salt * DIGITS_PER_WORD + digit, 0x9e37_79b1)),
    );
    for (const end = digit + DIGITS_PER_WORD; digit < end; digit += 1) {
      const offset = isUuid ? (UUID_OFFSETS[digit] ?? 0) : digit;
      into[at + offset] = HEX_DIGITS[word & 15] ?? 0;
      word >>>= 4;
    }
  }
  if (!isUuid) return;
  for (const offset of UUID_HYPHENS_AT) into[at + offset] = HYPHEN;
  into[at + UUID_VERSION_AT] = VERSION_FOUR;
  into[at + UUID_VARIANT_AT] = HEX_DIGITS[8 | (number & 3)] ?? 0;
}

/**
 * Writes deliveries by patching templates in place, so that a generator's time goes to sending.
 * Every identifier is a scattered function of what it names: random as the real ones are (ids that
 * grow would make every index cheaper than it is), and yet a delivery can be written again, byte by
 * byte the same, from its number alone.
 */
export class Deliveries {
  readonly #vaults: number;
  readonly #seed: number;
  readonly #patterns: readonly Pattern[];

  /**
   * `seed` separates the transactions of two runs; the vaults and addresses of all runs are the
   * same. `headOf` gives what precedes a body of so many bytes.
   */
  constructor(options: {
    vaults: number;
    seed: number;
    extras?: Extras;
    headOf?: (bodyBytes: number) => string;
  }) {
    this.#vaults = options.vaults;
    this.#seed = options.seed;
    const { extras = 'shared', headOf = () => '' } = options;
    this.#patterns = FORMS.map((form) => patternOf(form, extras, headOf));
  }

  /** What the longest delivery takes. */
  get bytesMax(): number {
    return Math.max(...this.#patterns.map(({ bytes }) => bytes.length));
  }

  /** Writes a delivery at the beginning of `into`, and returns its length in bytes. */
  write(into: Buffer, delivery: number): number {
    const event = eventOf(delivery);
    const { lastConfirmation } = EVENTS;
    const pattern = this.#patterns[Math.max(0, event - lastConfirmation)];
    if (pattern === undefined) throw new RangeError(`no event ${event}`);
    const { bytes, slots, confirmationsAt } = pattern;
    bytes.copy(into);
    for (const slot of slots) {
      const { of } = slot.field;
      const isOfRun = of === 'delivery' || of === 'subject';
      writeIdentifier(into, slot, isOfRun ? this.#seed : 0, this.#numberOf(of, delivery));
    }
    if (confirmationsAt !== null) into[confirmationsAt] = DIGIT_ZERO + event;
    return bytes.length;
  }

  #numberOf(of: IdentifierField['of'], delivery: number): number {
    const subject = subjectOf(delivery);
    const vault = subject % this.#vaults;
    const address = Math.floor(subject / this.#vaults) % ADDRESSES_PER_VAULT;
    switch (of) {
      case 'delivery':
        return delivery;
      case 'subject':
        return subject;
      case 'vault':
        return vault;
      case 'account':
        return vault * 2 + (address % 2);
      case 'address':
        return vault * ADDRESSES_PER_VAULT + address;
      default:
        return of satisfies never;
    }
  }
}
