import { onTestFinished } from 'vitest';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { openLedgerFile, SIX_DEEP, type OpenLedger } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

/** A store, and its reads on a connection of their own. */
export async function openStore(
  policy: CreditingPolicy = SIX_DEEP,
): Promise<{ open: OpenLedger; reads: SqliteReads; service: Service }> {
  const { open, path } = await openLedgerFile(policy);
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  return { open, reads, service: new Service() };
}
