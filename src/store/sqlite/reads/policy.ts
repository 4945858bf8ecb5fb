import type { Kysely } from 'kysely';
import type { CreditingPolicy } from '../../../domain/policy/policy.ts';
import { AssetId } from '../../../domain/ids.ts';
import { unpackPolicy } from '../../codec/fact.ts';
import type { DecimalsCorrectionRow, PolicyRow } from '../../records.ts';
import type { Page, PageRequest } from '../../page.ts';
import type { PolicyChange } from '../../answers.ts';
import { decimalsCorrectionOf, policyOf } from '../table/rows/policy-row.ts';
import type { Tables } from '../table/tables.ts';
import { readPage } from './list.ts';

/** The last policy before a journal position; without one, the policy in force. */
export async function readPolicy(
  db: Kysely<Tables>,
  beforeSeq = Number.MAX_SAFE_INTEGER,
): Promise<PolicyRow | undefined> {
  const row = await db
    .selectFrom('policies')
    .where('seq', '<', beforeSeq)
    .selectAll()
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && policyOf(row);
}

/** The configuration's last policy, whatever was set through the API since. */
export async function readConfiguredPolicy(
  db: Kysely<Tables>,
): Promise<CreditingPolicy | undefined> {
  const row = await db
    .selectFrom('policies')
    .where('configured', 'is not', null)
    .select('configured')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  const text = row?.configured ?? null;
  return text === null ? undefined : unpackPolicy(text);
}

/** One page of policies, newest first, each with the policy that it replaced. */
export async function readPolicyHistory(
  db: Kysely<Tables>,
  page: PageRequest,
): Promise<Page<PolicyChange>> {
  const listing = { table: 'policies', equal: {}, newestFirstBy: 'seq' } as const;
  const found = await readPage(db, listing, { ...page, itemOf: policyOf });
  const oldest = found.items.at(-1);
  // Policies are only appended, so a row's predecessor never changes.
  const before = oldest && (await readPolicy(db, oldest.seq));
  const items = found.items.map((row, at) => ({
    ...row,
    before: (found.items[at + 1] ?? before)?.policy ?? null,
  }));
  return { ...found, items };
}

/** Pinned decimals of every asset that was seen with decimals. */
export async function readPinnedDecimals(
  db: Kysely<Tables>,
): Promise<ReadonlyMap<AssetId, number>> {
  const rows = await db.selectFrom('assets').selectAll().execute();
  return new Map(rows.map((row) => [AssetId(row.asset), row.decimals]));
}

/** Most corrections in an answer; only people make them. */
const CORRECTIONS_MAX = 1_000;

/** Corrections of decimals, newest first. `asset`: only this asset's. */
export async function readDecimalsCorrections(
  db: Kysely<Tables>,
  asset?: AssetId,
): Promise<readonly DecimalsCorrectionRow[]> {
  const all = db.selectFrom('decimals_corrections').selectAll();
  const some = asset === undefined ? all : all.where('asset', '=', asset);
  const rows = await some.orderBy('seq', 'desc').limit(CORRECTIONS_MAX).execute();
  return rows.map(decimalsCorrectionOf);
}
