import type { Role } from '../../../src/store/replicated/role.ts';
import { compareProjections } from '../../../src/store/sqlite/audit/projections.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import type { MemoryJournal } from '../../store/replicated/memory-journal.ts';
import type { SentDecisions } from './sent-decisions.ts';

interface Judged {
  readonly journal: MemoryJournal;
  readonly decisions: SentDecisions;
  readonly receivers: readonly {
    readonly name: string;
    readonly path: string;
    readonly role: Role | null;
  }[];
}

/** What is wrong between the receivers at rest: their roles, the journal's chain, their replicas. */
export function problemsOf(judged: Judged): string[] {
  return [
    ...wrongRoles(judged),
    ...brokenChain(judged),
    ...judged.decisions.problems(judged.journal),
    ...differences(judged),
  ];
}

function wrongRoles({ receivers }: Judged): string[] {
  const owners = receivers.filter(({ role }) => role?.kind === 'owner');
  const diverged = receivers.flatMap(({ name, role }) =>
    role?.kind === 'diverged' ? [`${name} diverged: ${role.detail}`] : [],
  );
  const roles = receivers.map(({ name, role }) => `${name} is ${role?.kind ?? 'nothing'}`);
  return owners.length === 1 ? diverged : [...diverged, `no one owner: ${roles.join(', ')}`];
}

function brokenChain({ journal: { commits } }: Judged): string[] {
  return commits.flatMap((commit, index) => {
    const before = commits[index - 1];
    const isNext = commit.commitNumber === index + 1;
    const isLinked = before === undefined || Buffer.compare(before.hash, commit.previousHash) === 0;
    return isNext && isLinked ? [] : [`commit ${index + 1} breaks the chain`];
  });
}

/** Every replica holds the whole journal, and says the same in every table. */
function differences({ journal, receivers }: Judged): string[] {
  const [first, ...others] = receivers.map(({ name, path }) => ({
    name,
    db: openForReading(path),
  }));
  if (first === undefined) return ['there is no receiver'];
  try {
    const head = Buffer.from(journal.commits.at(-1)?.hash ?? [])
      .toString('hex')
      .toUpperCase();
    const behind = [first, ...others].flatMap(({ name, db }) => {
      const sql = 'SELECT hex(hash) FROM seals ORDER BY commit_number DESC LIMIT 1';
      const seal = db.prepare<[], string>(sql).pluck().get() ?? '';
      return seal === head ? [] : [`${name} does not hold the journal's last commit`];
    });
    const differing = others.flatMap(({ name, db }) =>
      compareProjections(first.db, db).problems.map((one) => `${first.name} and ${name}: ${one}`),
    );
    return [...behind, ...differing];
  } finally {
    for (const { db } of [first, ...others]) db.close();
  }
}
