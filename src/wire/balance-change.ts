import { z } from 'zod';
import { AMOUNT, DECIMALS_MAX } from './amount.ts';

/**
 * An amount in the asset's smallest unit, as a decimal integer string (section "Balance change
 * entry"): negative = debit, positive = credit, never a decimal point, at most 78 digits (enough for
 * any 256-bit integer). A JSON number is refused: it may already have lost digits.
 */
export const amountString = z
  .string()
  .regex(AMOUNT, 'an integer string in the smallest unit, at most 78 digits');

const customData = z.record(z.string(), z.unknown());

/**
 * Human-readable twin of an amount (the specification, section "Balance change entry"). `value` is
 * a signed decimal string. Omitted for assets the service does not recognise. Of an asset's `type`,
 * the specification shows only that it can be `native`, so an asset may have none.
 */
export const amountFormatted = z.looseObject({
  asset: z.looseObject({
    name: z.string(),
    decimals: z.int().min(0).max(DECIMALS_MAX),
    type: z.string().nullish(),
  }),
  value: z.string(),
});

/**
 * The address a change happened on; absent on account- and vault-level merged entries (the
 * specification, section "Aggregation per stream").
 */
export const changeAddress = z.looseObject({
  id: z.string().min(1),
  networkAddress: z.string().nullish(),
  network: z.string().nullish(),
  hdpath: z.string().nullish(),
  name: z.string().nullish(),
  data: customData.nullish(),
  memo: z.string().nullish(),
});

/**
 * The account a change happened on; absent on vault-level merged entries (the specification,
 * section "Aggregation per stream").
 */
export const changeAccount = z.looseObject({
  id: z.string().min(1),
  name: z.string().nullish(),
  data: customData.nullish(),
});

/** One balance change entry (section "Balance change entry"). */
export const balanceChange = z.looseObject({
  asset: z.string().min(1),
  amount: amountString,
  amountFormatted: amountFormatted.nullish(),
  tags: z.array(z.string()).nullish(),
  address: changeAddress.nullish(),
  account: changeAccount.nullish(),
  // The spec says what it is for and shows no shape of it: `attributedMemo` reads it.
  memoInfo: z.unknown().optional(),
});
export type BalanceChange = z.infer<typeof balanceChange>;
