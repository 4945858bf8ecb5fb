/**
 * An amount in the asset's own unit. Moves the decimal point in its digits, because a division
 * would round. Keeps all decimals, so that a column lines up: `1.50000000`.
 */
export function scaled(amount: string, decimals: number | null): string {
  if (decimals === null || decimals === 0) return amount;
  const isNegative = amount.startsWith('-');
  const digits = amount.slice(isNegative ? 1 : 0).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return `${isNegative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** An amount in the asset's own unit without trailing zeros, for sentences: `1.5`. */
export function concise(amount: string, decimals: number): string {
  return decimals === 0 ? amount : scaled(amount, decimals).replace(/\.?0+$/, '');
}

/** An age in days and hours, or minutes below one hour: `3 d 4 h`. `seconds`: whole seconds. */
export function ageText(seconds: number): string {
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3_600);
  const days = Math.floor(hours / 24);
  return days === 0 ? `${hours} h` : `${days} d ${hours % 24} h`;
}
