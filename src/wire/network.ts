import { z } from 'zod';

/**
 * A network and the depths at which it emits confirmation events, ascending (the specification,
 * section "Identifiers and records that appear").
 */
export const network = z.looseObject({
  key: z.string().min(1),
  name: z.string().nullish(),
  confirmations: z.array(z.int().min(0)),
});
export type Network = z.infer<typeof network>;
