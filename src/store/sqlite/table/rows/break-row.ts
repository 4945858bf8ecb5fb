import type {
  Break,
  BreakAction,
  BreakFigures,
  BreakState,
  BreakSubject,
  BreakType,
  Finding,
  Severity,
} from '../../../../domain/break/break.ts';
import type { ExemptDifference } from '../../../../domain/break/exemption.ts';
import type { HeldExemption } from '../../../../domain/break/held-exemptions.ts';
import {
  AssetId,
  BlockchainHash,
  BreakId,
  DepositId,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../../domain/ids.ts';
import { packExemptions, unpackExemptions } from '../../../codec/fact.ts';
import type { ExemptionRulesRow, StoredBreakEvent } from '../../../records.ts';
import { AMOUNT, orNull, plain, text, word } from '../column-format.ts';
import { column, mappingOf, nested, type ColumnFormat, type RowIn } from '../mapping.ts';

const FIGURE = orNull(AMOUNT);

/** A difference, as breaks and exempt differences keep it. */
const FINDING = {
  type: column('type', word<BreakType>()),
  key: column('key', plain('TEXT NOT NULL')),
  severity: column('severity', word<Severity>()),
  subject: nested<BreakSubject>()({
    vaultId: column('vault_id', orNull(text(VaultId))),
    network: column('network', orNull(text(NetworkKey))),
    blockchainHash: column('blockchain_hash', orNull(text(BlockchainHash))),
    asset: column('asset', orNull(text(AssetId))),
    transactionId: column('transaction_id', orNull(text(TransactionId))),
    depositId: column('deposit_id', orNull(text(DepositId))),
  }),
  expected: column('expected', FIGURE),
  actual: column('actual', FIGURE),
  detail: column('detail', plain('TEXT NOT NULL')),
};

/** The columns of `breaks`. */
export const BREAKS = mappingOf<Break>()({
  table: 'breaks',
  key: ['break_id'],
  extras: {},
  fields: {
    ...FINDING,
    breakId: column('break_id', text(BreakId)),
    originalSeverity: column('original_severity', word<Severity>()),
    state: column('state', word<BreakState>()),
    assignee: column('assignee', plain('TEXT')),
    openedAt: column('opened_at', plain('INTEGER NOT NULL')),
    updatedAt: column('updated_at', plain('INTEGER NOT NULL')),
    resolvedAt: column('resolved_at', plain('INTEGER')),
    resolvedBy: column('resolved_by', plain('TEXT')),
    resolution: column('resolution', plain('TEXT')),
  },
});

/** A row of `breaks`. */
export type BreakRow = RowIn<typeof BREAKS>;

/** Reads a break from its row. */
export const breakOf = BREAKS.read;

/** The figures of a break as JSON; amounts are decimal strings. */
const FIGURES: ColumnFormat<BreakFigures, 'TEXT NOT NULL'> = {
  type: 'TEXT NOT NULL',
  write: ({ expected, actual, severity }) => {
    return JSON.stringify({
      expected: FIGURE.write(expected),
      actual: FIGURE.write(actual),
      severity,
    });
  },
  read: (kept) => {
    const { expected, actual, severity } = JSON.parse(kept) as {
      [Figure in 'expected' | 'actual']: string | null;
    } & { severity: Severity };
    return { expected: FIGURE.read(expected), actual: FIGURE.read(actual), severity };
  },
};

/** The columns of `break_events`. */
export const BREAK_EVENTS = mappingOf<StoredBreakEvent>()({
  table: 'break_events',
  key: [],
  extras: {},
  fields: {
    seq: column('seq', plain('INTEGER NOT NULL')),
    breakId: column('break_id', text(BreakId)),
    at: column('at', plain('INTEGER NOT NULL')),
    actor: column('actor', plain('TEXT NOT NULL')),
    action: column('action', word<BreakAction>()),
    reason: column('reason', plain('TEXT NOT NULL')),
    before: column('figures_before', orNull(FIGURES)),
    after: column('figures_after', orNull(FIGURES)),
  },
});

/** A row of `break_events`. */
export type BreakEventRow = RowIn<typeof BREAK_EVENTS>;

/** Reads an event of a break's history from its row. */
export const breakEventOf = BREAK_EVENTS.read;

/** The columns of `exempt_differences`. */
export const EXEMPT_DIFFERENCES = mappingOf<ExemptDifference>()({
  table: 'exempt_differences',
  key: ['key'],
  extras: {},
  fields: {
    rule: column('rule', plain('TEXT NOT NULL')),
    finding: nested<Finding>()(FINDING),
  },
});

/** A row of `exempt_differences`. */
export type ExemptDifferenceRow = RowIn<typeof EXEMPT_DIFFERENCES>;

/** Reads an exempt difference from its row. */
export const exemptDifferenceOf = EXEMPT_DIFFERENCES.read;

/** The columns of `exemptions`. */
export const EXEMPTIONS = mappingOf<ExemptionRulesRow>()({
  table: 'exemptions',
  key: ['seq'],
  extras: {},
  fields: {
    seq: column('seq', plain('INTEGER NOT NULL')),
    actor: column('actor', plain('TEXT NOT NULL')),
    rules: column('rules', {
      type: 'TEXT NOT NULL',
      write: packExemptions,
      read: (kept): readonly HeldExemption[] => unpackExemptions(kept),
    }),
    setAt: column('set_at', plain('INTEGER NOT NULL')),
  },
});

/** A row of `exemptions`. */
export type ExemptionTableRow = RowIn<typeof EXEMPTIONS>;

/** Reads exemption rules from their row. */
export const exemptionsOf = EXEMPTIONS.read;
