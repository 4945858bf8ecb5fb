import { z } from '@hono/zod-openapi';
import { BREAK_STATES, SEVERITIES } from '../../domain/break/break.ts';
import { amountText } from '../formats.ts';

export const breakState = z.enum(BREAK_STATES);

export const severity = z.enum(SEVERITIES);

/** What a break is about, and the figures that differ. */
export const breakSubject = {
  vaultId: z.string().nullable(),
  network: z.string().nullable(),
  blockchainHash: z.string().nullable(),
  asset: z.string().nullable(),
  transactionId: z.string().nullable(),
  depositId: z.string().nullable(),
  expected: amountText.nullable().openapi({ description: "The custody's side." }),
  actual: amountText.nullable().openapi({ description: 'Our side.' }),
  difference: amountText.nullable().openapi({ description: 'actual − expected.' }),
};
