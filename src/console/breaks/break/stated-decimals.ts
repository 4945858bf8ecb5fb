import { z } from 'zod';

/** The part of a notification that states decimals (specification, balance changes). */
const schema = z.object({
  balanceChanges: z.array(
    z.object({
      asset: z.string(),
      amountFormatted: z.object({ asset: z.object({ decimals: z.int() }) }).nullish(),
    }),
  ),
});

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** The decimals that a notification's body states for an asset; null where it states none. */
export function statedDecimals(bytes: Uint8Array, asset: string): number | null {
  const body = schema.safeParse(parsed(bytes));
  if (!body.success) return null;
  const stated = body.data.balanceChanges.find(
    (change) => change.asset === asset && (change.amountFormatted ?? null) !== null,
  );
  return stated?.amountFormatted?.asset.decimals ?? null;
}
