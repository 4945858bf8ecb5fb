import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ReplicaDiverged } from '../../store/replicated/replica.ts';
import type { SharedJournal } from '../../store/replicated/shared-journal.ts';
import type { AuditCheck } from '../../store/sqlite/audit/audit.ts';
import { makeScratchFolder, fullDiskRefusal } from '../../store/sqlite/audit/scratch-folder.ts';
import { verify, type AuditOptions, type AuditReport } from '../../store/sqlite/audit/verify.ts';
import { readInto } from './copy-journal.ts';

/**
 * Audits a shared journal, as far as it goes now, through a replica in a temporary folder (TMPDIR).
 * Reading checks that no commit is missing, that every body is readable and that every seal is that of
 * its facts. The replica is then audited as `verify` audits a file. Throws `JournalUnavailable`.
 */
export async function verifyJournal(
  journal: SharedJournal,
  options: AuditOptions,
): Promise<AuditReport> {
  const folder = makeScratchFolder();
  try {
    const path = join(folder, 'replica.db');
    const read = await journalCheck(path, journal, options);
    if (read.problemCount > 0) return { sound: false, facts: read.examined, checks: [read] };
    const { sound, facts, checks } = verify(path, options);
    return { sound, facts, checks: [read, ...checks] };
  } catch (error) {
    throw fullDiskRefusal(folder, error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function journalCheck(
  path: string,
  journal: SharedJournal,
  { progress }: AuditOptions,
): Promise<AuditCheck> {
  const check = 'shared_journal';
  let examined = 0;
  const counting = {
    ...progress,
    tick: (facts: number): void => {
      examined += facts;
      progress.tick(facts);
    },
  };
  try {
    await readInto(path, journal, counting);
    return { check, examined, problems: [], problemCount: 0 };
  } catch (error) {
    if (!(error instanceof ReplicaDiverged)) throw error;
    progress.done();
    return { check, examined, problems: [error.message], problemCount: 1 };
  }
}
