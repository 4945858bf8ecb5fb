import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Decode from '../../../src/intake/decode.ts';
import type * as Database from '../../../src/store/sqlite/file/database.ts';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import type { FactOutcome } from '../../../src/store/port.ts';
import type * as Ledger from '../../../src/store/sqlite/sqlite-ledger.ts';

/** The crediting policy of every configuration here: nothing is credited without a custody API. */
export const CREDITING = { default: { confirmations: 6 }, networks: {}, assets: {} } as const;

/** The ledger of a built program, filled without HTTP; one commit for each call of `take`. */
export interface BenchLedger {
  /** What `serve` takes from its configuration at its first start. */
  takePolicy(at: number): Promise<void>;
  /** Commits deliveries that arrived at `at` (Unix milliseconds); throws when one is not accepted. */
  take(bodies: readonly Uint8Array[], at: number): Promise<void>;
  close(): void;
}

/** A module of the built program, beside the one that is measured, and not of these sources. */
async function moduleOf<Module>(program: string, path: string): Promise<Module> {
  return (await import(pathToFileURL(join(dirname(program), path)).href)) as Module;
}

/** Names the tables that a program makes: another program's store cannot be used for it. */
export function schemaOf(program: string): string {
  const schema = readFileSync(join(dirname(program), '../schema.sql'));
  return createHash('sha256').update(schema).digest('hex').slice(0, 12);
}

/** Everything here that depends on how the program is made, and not on what it promises. */
export async function openLedger(program: string, path: string): Promise<BenchLedger> {
  const { decode } = await moduleOf<typeof Decode>(program, 'intake/decode.js');
  const { openForWriting } = await moduleOf<typeof Database>(
    program,
    'store/sqlite/file/database.js',
  );
  const { SqliteLedger } = await moduleOf<typeof Ledger>(program, 'store/sqlite/sqlite-ledger.js');
  let now = 0;
  const ledger = new SqliteLedger(openForWriting(path), { decode, now: () => now });
  const commit = async (facts: readonly Fact[], at: number): Promise<readonly FactOutcome[]> => {
    now = at;
    const result = await ledger.commit(facts);
    if (result.kind === 'unavailable') throw new Error(result.cause);
    return result.outcomes;
  };
  return {
    takePolicy: async (at) => {
      const reason = 'the configuration says so';
      const decision = { kind: 'policy', source: 'config', policy: CREDITING, reason } as const;
      const configured = { ...decision, configured: CREDITING };
      await commit([{ kind: 'decision', at, actor: 'config', decision: configured }], at);
    },
    take: async (bodies, at) => {
      const facts = bodies.map((raw) => {
        const decoded = decode(raw);
        if (decoded.kind === 'malformed') throw new Error(decoded.defect);
        return { ...decoded, at, raw };
      });
      const outcomes = await commit(facts, at);
      const refused = outcomes.find((one) => one.kind !== 'delivery' || one.status !== 'accepted');
      if (refused !== undefined) throw new Error(`not accepted: ${JSON.stringify(refused)}`);
    },
    close: () => ledger.close(),
  };
}
