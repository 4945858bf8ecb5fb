import { AssetId } from '../../../../domain/ids.ts';
import type { CreditingPolicy } from '../../../../domain/policy/policy.ts';
import { packPolicy, unpackPolicy } from '../../../codec/fact.ts';
import type { DecimalsCorrectionRow, PolicyRow } from '../../../records.ts';
import { orNull, plain, text, word } from '../column-format.ts';
import { column, mappingOf, type ColumnFormat, type RowIn } from '../mapping.ts';

const POLICY: ColumnFormat<CreditingPolicy, 'TEXT NOT NULL'> = {
  type: 'TEXT NOT NULL',
  write: packPolicy,
  read: unpackPolicy,
};

/** The columns of `policies`. */
export const POLICIES = mappingOf<PolicyRow>()({
  table: 'policies',
  key: ['seq'],
  extras: {},
  fields: {
    seq: column('seq', plain('INTEGER NOT NULL')),
    source: column('source', word<PolicyRow['source']>()),
    actor: column('actor', plain('TEXT NOT NULL')),
    reason: column('reason', plain('TEXT NOT NULL')),
    policy: column('policy', POLICY),
    configured: column('configured', orNull(POLICY)),
    setAt: column('set_at', plain('INTEGER NOT NULL')),
  },
});

/** A row of `policies`. */
export type PolicyTableRow = RowIn<typeof POLICIES>;

/** Reads a policy from its row. */
export const policyOf = POLICIES.read;

/** The columns of `decimals_corrections`. */
export const DECIMALS_CORRECTIONS = mappingOf<DecimalsCorrectionRow>()({
  table: 'decimals_corrections',
  key: ['seq'],
  extras: {},
  fields: {
    seq: column('seq', plain('INTEGER NOT NULL')),
    asset: column('asset', text(AssetId)),
    before: column('decimals_before', plain('INTEGER NOT NULL')),
    after: column('decimals_after', plain('INTEGER NOT NULL')),
    actor: column('actor', plain('TEXT NOT NULL')),
    reason: column('reason', plain('TEXT NOT NULL')),
    correctedAt: column('corrected_at', plain('INTEGER NOT NULL')),
  },
});

/** A row of `decimals_corrections`. */
export type DecimalsCorrectionTableRow = RowIn<typeof DECIMALS_CORRECTIONS>;

/** Reads a correction of decimals from its row. */
export const decimalsCorrectionOf = DECIMALS_CORRECTIONS.read;
