import { z } from 'zod';

const customData = z.record(z.string(), z.unknown()).nullish();

/**
 * A vault record (the specification, section "Identifiers and records that appear"). Fields beyond
 * `vaultId` are not shown there.
 */
export const vault = z.looseObject({ vaultId: z.string().min(1), name: z.string().nullish() });
export type Vault = z.infer<typeof vault>;

/** An account record (the specification, section "Identifiers and records that appear"). */
export const account = z.looseObject({
  accountId: z.string().min(1),
  vaultId: z.string().nullish(),
  name: z.string().nullish(),
  data: customData,
});

/**
 * An address record (the specification, section "Identifiers and records that appear").
 * `networkAddress` is the on-chain address.
 */
export const address = z.looseObject({
  addressId: z.string().min(1),
  accountId: z.string().nullish(),
  vaultId: z.string().nullish(),
  name: z.string().nullish(),
  networkAddress: z.string(),
  network: z.string(),
  hdpath: z.string().nullish(),
  data: customData,
  memo: z.string().nullish(),
});
export type Address = z.infer<typeof address>;
