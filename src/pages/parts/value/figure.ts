/** A count or digits in groups of three on one line: `12 345 678`. */
export function grouped(digits: number | string): string {
  return String(digits).replaceAll(/\B(?=(\d{3})+$)/g, '\u202F');
}

/** A count with its noun: `1 vault`, `1 234 vaults`. */
export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${grouped(count)} ${noun}s`;
}

/**
 * An amount in the asset's own unit. Moves the decimal point in its digits, because a division
 * would round. Omits trailing zeros: `1500000000000000000` with 18 decimals is `1.5`.
 */
export function decimalText(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? '−' : '';
  const digits = amount
    .toString()
    .replace('-', '')
    .padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  const whole = `${sign}${grouped(digits.slice(0, point))}`;
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Characters that one line of a phone's card holds, at a figure's size there. */
const LINE_CHARACTERS = 36;

/**
 * The classes of an amount's text. A number stays on one line; `long`, which may break, marks one
 * that no line of a phone holds.
 */
export function figureClass(name: 'figure' | 'units', text: string): string {
  return text.length > LINE_CHARACTERS ? `${name} long` : name;
}

/** `1.5` with 18 decimals, in smallest units; undefined for text that is no such amount. */
export function unitsOf(text: string, decimals: number): bigint | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,78})(?:\.(\d{1,78}))?$/.exec(text) ?? [];
  if (whole === '' || fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

const SECOND_MS = 1_000;
const UNITS = [
  { name: 'd', ms: 86_400 * SECOND_MS },
  { name: 'h', ms: 3_600 * SECOND_MS },
  { name: 'min', ms: 60 * SECOND_MS },
  { name: 's', ms: SECOND_MS },
] as const;

/** A time span in its largest whole unit: `5 s`, `12 min`, `3 h`, `2 d`. */
export function spanText(ms: number): string {
  const unit = UNITS.find((one) => ms >= one.ms) ?? UNITS[3];
  return `${Math.max(0, Math.floor(ms / unit.ms))} ${unit.name}`;
}

/** `2025-11-20 01:02:03 UTC`. `at`: Unix milliseconds. */
export function momentText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Both ends of a long identifier; the title shows all of it. */
export function shortened(id: string): string {
  return id.length <= 18 ? id : `${id.slice(0, 8)}…${id.slice(-6)}`;
}

/** `ETH` of `ethereum:ETH`. */
export function symbolOf(asset: string): string {
  return asset.slice(asset.indexOf(':') + 1);
}
