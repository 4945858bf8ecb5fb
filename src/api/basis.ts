import { z } from '@hono/zod-openapi';
import { reasonText } from './exchange/decision.ts';
import { nameText } from './formats.ts';

/** Longer than any version: an owner's name and the names of those who approved. */
const BASIS_CHARACTERS_MAX = 4_096;

/** A record's version, for the `basis` of a decision. */
export const versionField = z.string().openapi({
  description: 'What a decision about it depends on. Send it unchanged as `basis`.',
});

/** The version that a person read; a decision about another version answers 409. */
export const basisText = nameText(BASIS_CHARACTERS_MAX).optional().openapi({
  description:
    'The `version` that you read. If it has changed, the call answers 409, says what changed, and does nothing. Without it nothing is compared.',
});

/** The body of a decision that needs a reason, and may name its basis. */
export const basedReason = z
  .strictObject({ reason: reasonText, basis: basisText })
  .openapi('ReasonWithBasis');
