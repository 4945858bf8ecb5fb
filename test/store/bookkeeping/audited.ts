import { writeFileSync } from 'node:fs';
import { decode } from '../../../src/intake/decode.ts';
import { verify } from '../../../src/store/sqlite/audit/verify.ts';
import { temporaryPath, type OpenLedger } from '../open-ledger.ts';

/** What `verify` finds wrong with a ledger's store. */
export function audit(open: OpenLedger): readonly string[] {
  const path = temporaryPath();
  writeFileSync(path, open.db.serialize());
  const progress = { start: () => undefined, tick: () => undefined, done: () => undefined };
  return verify(path, { decode, progress }).checks.flatMap(({ problems }) => problems);
}
