/** What a correction of an asset's decimals depends on: those that it replaces. */
export function decimalsParts(decimals: number) {
  return [['number of decimals', decimals]] as const;
}
