import { decodeAgain } from '../../../src/intake/decode.ts';
import { verify } from '../../../src/store/sqlite/audit/verify.ts';

const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

/** What the product's own audit finds: the hash chain, the ledger's sums, a replay into an empty store. */
export function replayProblems(path: string): string[] {
  const { sound, checks } = verify(path, { decode: decodeAgain, progress: SILENT });
  if (sound) return [];
  const failed = checks.filter(({ problemCount }) => problemCount > 0);
  return [`verify: ${JSON.stringify(failed)}`];
}
