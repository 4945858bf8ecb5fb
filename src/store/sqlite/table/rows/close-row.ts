import type { CustodyDatedBy, EffectKind, SignatureRole } from '../../../../domain/close/record.ts';
import {
  AssetId,
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../../domain/ids.ts';
import type {
  ClosedDayRow,
  CustodyEffectRow,
  DailyCloseRow,
  SignatureRow,
} from '../../../records.ts';
import { AMOUNT, FLAG, orNull, plain, text, word } from '../column-format.ts';
import { column, mappingOf, nested, type RowIn } from '../mapping.ts';

/** A closed day, without the report. */
const CLOSED_DAY = {
  day: column('day', plain('TEXT NOT NULL')),
  seq: column('seq', plain('INTEGER NOT NULL')),
  timezone: column('timezone', plain('TEXT NOT NULL')),
  cutOffAt: column('cut_off_at', plain('INTEGER NOT NULL')),
  closedAt: column('closed_at', plain('INTEGER NOT NULL')),
  throughSeq: column('through_seq', plain('INTEGER NOT NULL')),
  commitNumber: column('commit_number', plain('INTEGER NOT NULL')),
  sealHash: column('seal_hash', plain('TEXT NOT NULL')),
  status: column('status', word<ClosedDayRow['status']>()),
  custodyCompared: column('custody_compared', FLAG),
  reportHash: column('report_hash', plain('TEXT NOT NULL')),
  previousReportHash: column('previous_report_hash', plain('TEXT')),
};

/** Reads a closed day from its row, without the report. */
export const closedDayOf = nested<ClosedDayRow>()(CLOSED_DAY).read;

/** The columns of `daily_closes`. */
export const DAILY_CLOSES = mappingOf<DailyCloseRow>()({
  table: 'daily_closes',
  key: ['day'],
  extras: { first_posted_at: 'INTEGER', last_posted_at: 'INTEGER' },
  fields: { ...CLOSED_DAY, report: column('report', plain('TEXT NOT NULL')) },
});

/** A row of `daily_closes`. */
export type DailyCloseTableRow = RowIn<typeof DAILY_CLOSES>;

/** Reads a closed day with its report from its row. */
export const dailyCloseOf = DAILY_CLOSES.read;

/** The columns of `custody_effects`. */
export const CUSTODY_EFFECTS = mappingOf<CustodyEffectRow>()({
  table: 'custody_effects',
  key: ['transaction_id', 'asset', 'vault_id'],
  extras: {},
  fields: {
    transactionId: column('transaction_id', text(TransactionId)),
    vaultId: column('vault_id', text(VaultId)),
    network: column('network', text(NetworkKey)),
    blockchainHash: column('blockchain_hash', text(BlockchainHash)),
    asset: column('asset', text(AssetId)),
    amount: column('amount', AMOUNT),
    kind: column('kind', orNull(word<EffectKind>())),
    at: column('at', plain('INTEGER')),
    datedBy: column('dated_by', orNull(word<CustodyDatedBy>())),
  },
});

/** A row of `custody_effects`. */
export type CustodyEffectTableRow = RowIn<typeof CUSTODY_EFFECTS>;

/** Reads what a custody transaction counts for from its row. */
export const effectOf = CUSTODY_EFFECTS.read;

/** The columns of `close_signatures`. */
export const CLOSE_SIGNATURES = mappingOf<SignatureRow>()({
  table: 'close_signatures',
  key: ['day', 'role'],
  extras: {},
  fields: {
    day: column('day', plain('TEXT NOT NULL')),
    seq: column('seq', plain('INTEGER NOT NULL')),
    role: column('role', word<SignatureRole>()),
    person: column('person', plain('TEXT NOT NULL')),
    reason: column('reason', plain('TEXT NOT NULL')),
    reportHash: column('report_hash', plain('TEXT NOT NULL')),
    signedAt: column('signed_at', plain('INTEGER NOT NULL')),
  },
});

/** A row of `close_signatures`. */
export type CloseSignatureRow = RowIn<typeof CLOSE_SIGNATURES>;

/** Reads a signature from its row. */
export const signatureOf = CLOSE_SIGNATURES.read;
