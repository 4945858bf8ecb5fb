import { z } from '@hono/zod-openapi';
import { BREAK_TYPES } from '../../domain/break/break.ts';
import { SIGNATURE_ROLES } from '../../domain/close/record.ts';
import {
  REPORT_STATUSES,
  type DatedBy,
  type ExplanationKind,
  type PriorDayItem,
  type ReportException,
} from '../../domain/close/report.ts';
import { CATEGORIES } from '../../domain/money/roll-forward.ts';
import { amountText, timeText } from '../formats.ts';
import { breakState, breakSubject, severity } from './break-words.ts';

export const signatureSchema = z
  .object({
    role: z.enum(SIGNATURE_ROLES),
    person: z.string(),
    reason: z.string(),
    reportHash: z.string(),
    signedAt: timeText,
  })
  .openapi('ReportSignature');

const SINCE_VERSION_2 = 'Absent in version 1.';

/** A member that sealed reports of version 1 do not have. */
function sinceVersion2<Schema extends z.ZodType>(schema: Schema, description?: string) {
  const text = description === undefined ? SINCE_VERSION_2 : `${description} ${SINCE_VERSION_2}`;
  return schema.optional().openapi({ description: text });
}

const againstText = z.enum(['custody', 'chain']);

const exceptionSchema = z
  .object({
    kind: z.enum({
      identity: 'identity',
      custody_not_compared: 'custody_not_compared',
      custody_rows_unreadable: 'custody_rows_unreadable',
      chain_not_compared: 'chain_not_compared',
      unexplained_difference: 'unexplained_difference',
    } as const satisfies { [Kind in ReportException['kind']]: Kind }),
    detail: z.string(),
  })
  .openapi('ReportException');

const openDifferenceSchema = z
  .object({
    against: againstText,
    asset: z.string(),
    count: z.int(),
    difference: amountText.openapi({ description: 'The sum of the differences.' }),
    absolute: amountText.openapi({ description: 'The sum of their absolute amounts.' }),
  })
  .openapi('ReportOpenDifference');

/** Where one hash moved an asset of a vault. */
const hashFields = {
  vaultId: z.string(),
  network: z.string(),
  blockchainHash: z.string(),
  asset: z.string(),
};

const totalSchema = z
  .object({
    vaultId: z.string(),
    asset: z.string(),
    decimals: z.int().nullable(),
    opening: amountText,
    deposits: amountText,
    withdrawals: amountText,
    fees: amountText,
    rebates: amountText,
    mints: amountText,
    internal: amountText,
    change: amountText,
    adjustments: amountText,
    closing: amountText,
    chainClosing: amountText,
    chainDifference: amountText
      .nullable()
      .openapi({ description: 'closing − chainClosing; null without a chain view.' }),
    chainUntold: amountText.openapi({
      description: 'The part of chainDifference on hashes without a chain view.',
    }),
    custodyRead: sinceVersion2(amountText.nullable(), "Custody's figure at the reading."),
    custodyAfterCutOff: sinceVersion2(
      amountText.nullable(),
      'The part of custodyRead after the cut-off.',
    ),
    custodyBurnedFees: sinceVersion2(
      amountText.nullable(),
      'Burned fees of failed transactions, which custodyRead includes.',
    ),
    custodyClosing: amountText.nullable().openapi({
      description: "Custody's figure at the cut-off; null when custody was not compared.",
    }),
    custodyDifference: amountText.nullable().openapi({ description: 'closing − custodyClosing.' }),
  })
  .openapi('ReportTotal');

const custodySchema = z
  .object({
    compared: z.boolean(),
    reason: z
      .string()
      .optional()
      .openapi({ description: 'Why custody was not compared; only then.' }),
    readAt: timeText.optional(),
    transactions: z.int().optional(),
    changed: z.int().optional(),
    unreadable: z.int().optional(),
    requests: z.int().optional(),
    watermark: z.string().nullable().optional(),
  })
  .openapi('ReportCustody', {
    description: 'When `compared` is true, every member but `reason` is there; else only `reason`.',
  });

const afterCutOffSchema = z
  .object({
    ...hashFields,
    transactionId: z.string(),
    amount: amountText,
    at: timeText,
    datedBy: z.enum(['block', 'custody']),
  })
  .openapi('ReportAfterCutOff');

const differenceSchema = z
  .object({
    ...hashFields,
    against: againstText,
    expected: amountText.openapi({ description: "The custody API's side, or the chain's." }),
    actual: amountText.openapi({ description: 'Our side.' }),
    difference: amountText.openapi({ description: 'actual − expected.' }),
    explanation: z.enum({
      timing: 'timing',
      in_grace: 'in_grace',
      break: 'break',
      resolved_break: 'resolved_break',
      exempt: 'exempt',
      suspense: 'suspense',
      burned_fee: 'burned_fee',
      custody_pending: 'custody_pending',
      chain_not_told: 'chain_not_told',
      unexplained: 'unexplained',
    } as const satisfies { [Kind in ExplanationKind]: Kind }),
    breakId: z.string().nullable(),
    detail: z.string(),
    untold: z
      .literal(true)
      .optional()
      .openapi({ description: 'Only where the hash has no chain view.' }),
  })
  .openapi('ReportDifference');

const inTransitSchema = z
  .object({
    ...hashFields,
    kind: z.enum(['internal', 'change']),
    amount: amountText.openapi({ description: 'Signed as it moves the balance.' }),
    leg: sinceVersion2(z.enum(['debit', 'credit']), 'The leg that is in the books.'),
  })
  .openapi('ReportInTransit');

const priorDaySchema = z
  .object({
    ...hashFields,
    reason: z.enum({
      late_event: 'late_event',
      recorded_late: 'recorded_late',
      reversal: 'reversal',
      suspense: 'suspense',
      reclassified: 'reclassified',
      custody_late: 'custody_late',
    } as const satisfies { [Reason in PriorDayItem['reason']]: Reason }),
    day: z.string().openapi({ description: 'The closed day that it belongs to.' }),
    amount: amountText.openapi({ description: 'Signed as it moved the balance.' }),
    entryId: z.int().nullable(),
    eventAt: timeText.nullable(),
    detail: z.string(),
    datedBy: sinceVersion2(
      z
        .enum({ block: 'block', custody: 'custody', delivery: 'delivery' } as const satisfies {
          [Source in DatedBy]: Source;
        })
        .nullable(),
    ),
    from: z
      .enum(CATEGORIES)
      .optional()
      .openapi({ description: 'Only for `reclassified`: the closed day’s category.' }),
    to: z
      .enum(CATEGORIES)
      .optional()
      .openapi({ description: 'Only for `reclassified`: the category now.' }),
  })
  .openapi('ReportPriorDayItem');

const reportBreakSchema = z
  .object({
    breakId: z.string(),
    type: z.enum(BREAK_TYPES),
    severity,
    state: breakState,
    ...breakSubject,
    detail: z.string(),
    openedAt: timeText,
    ageSeconds: z.int().openapi({ description: 'The age at the cut-off.' }),
  })
  .openapi('ReportBreak');

/**
 * A sealed report with its hash and signatures. It documents `DailyReport`, and parses nothing: the
 * answer is the sealed text. docs/reference/daily-report.md explains the members.
 */
export const reportSchema = z
  .object({
    // The generator of the documentation writes the first of several literals alone.
    version: z.literal([1, 2]).openapi({ enum: [1, 2] }),
    day: z.string(),
    timezone: z.string(),
    from: timeText.nullable().openapi({ description: 'The cut-off of the day before.' }),
    cutOffAt: timeText,
    closedAt: timeText,
    status: z.enum(REPORT_STATUSES),
    exceptions: z.array(exceptionSchema),
    openDifferences: sinceVersion2(z.array(openDifferenceSchema)),
    journal: z.object({
      afterSeq: z.int(),
      throughSeq: z.int(),
      commitNumber: z.int(),
      sealHash: z.string(),
    }),
    previous: z.object({ day: z.string(), reportHash: z.string() }).nullable(),
    totals: z.array(totalSchema),
    custody: custodySchema,
    custodyAfterCutOff: sinceVersion2(
      z.array(afterCutOffSchema),
      'Movements at custody between the cut-off and the reading.',
    ),
    differences: z.array(differenceSchema),
    inTransit: z.array(inTransitSchema),
    unconfirmed: sinceVersion2(
      z.array(z.object({ ...hashFields, amount: amountText })),
      'Own debits that custody had not confirmed.',
    ),
    priorDay: z.array(priorDaySchema),
    openBreaks: z.array(reportBreakSchema),
    laterBreaks: sinceVersion2(
      z.array(reportBreakSchema),
      'Breaks that opened after the cut-off and explain a difference.',
    ),
    ageing: z
      .object({
        under1Day: z.int(),
        under7Days: z.int(),
        under30Days: z.int(),
        over30Days: z.int(),
      })
      .openapi({ description: 'How many of `openBreaks` had been open for how long.' }),
    exempt: z
      .record(z.string(), z.int())
      .optional()
      .openapi({ description: 'Counts of exempt differences, by rule; absent when unknown.' }),
    vaultNames: sinceVersion2(z.record(z.string(), z.string()), 'Names of the vaults, by id.'),
    reportHash: z.string(),
    signatures: z.array(signatureSchema),
  })
  .openapi('DailyReport');
