import { onTestFinished } from 'vitest';
import { createConsole, type ConsoleOptions } from '../../src/console/application.ts';
import { openForReading } from '../../src/store/sqlite/file/database.ts';
import { documentsFrom } from '../../src/report/document.ts';
import { SqliteReads } from '../../src/store/sqlite/reads/sqlite-reads.ts';
import { identify } from '../api/api-under-test.ts';
import { openLedgerFile, type OpenLedger } from '../store/open-ledger.ts';
import { Service } from '../store/webhook.ts';

export const TOKEN = { kind: 'token', identify } as const;

export interface ConsoleUnderTest {
  readonly open: OpenLedger;
  readonly reads: SqliteReads;
  readonly service: Service;
  readonly app: ReturnType<typeof createConsole>;
  /** The page's text, white space collapsed. */
  readonly read: (path?: string) => Promise<string>;
}

export async function openConsole(
  options: Partial<ConsoleOptions> = {},
): Promise<ConsoleUnderTest> {
  const { open, path } = await openLedgerFile();
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  // Each look is a second later than the one before, so that none is shared.
  let extraMs = 0;
  const app = createConsole({
    reads,
    document: documentsFrom(reads),
    now: () => open.at + (extraMs += 1_000),
    access: { kind: 'public' },
    secure: false,
    idleMsMax: 1_800_000,
    ...options,
  });
  const read = async (from = '/console') =>
    (await (await app.request(from)).text()).replaceAll(/[ \n]+/g, ' ');
  return { open, reads, service: new Service(), app, read };
}

/** The text of a page without its tags. */
export function words(page: string): string {
  return page
    .replaceAll(/<(style|script)[^]*?<\/\1>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('\u202F', '_')
    .replaceAll(/\s+/g, ' ');
}
