import { expect, onTestFinished, test } from 'vitest';
import type { DecisionPage } from '../../../src/store/answers.ts';
import { decode } from '../../../src/intake/decode.ts';
import { verify } from '../../../src/store/sqlite/audit/verify.ts';
import {
  ACTORS,
  DECISIONS_OF,
  READ_PER_ACTOR_MAX,
} from '../../../src/store/sqlite/reads/decisions.ts';
import { openForReading, openForWriting } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { SIX_DEEP, OpenLedger, temporaryPath } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

async function openStore(): Promise<{ open: OpenLedger; reads: SqliteReads; path: string }> {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  await open.setPolicy(SIX_DEEP);
  return { open, reads, path };
}

function halted(reason: string, kind: 'halt' | 'resume' = 'halt') {
  return { kind, scope: { kind: 'everything' }, reason } as const;
}

function texts({ items }: DecisionPage): string[] {
  return items.map(({ actor, decision }) => `${actor} ${decision.kind}`);
}

test('decisions are listed newest first, by whoever made them, in pages', async () => {
  const { open, reads } = await openStore();
  await open.decide(halted('one'), 'zoe');
  await open.deliver(new Service().confirmed(1));
  await open.decide(halted('two', 'resume'), 'ann');
  await open.decide(halted('three'), 'zoe');
  const first = await reads.decisions({ limit: 3 });
  expect(texts(first)).toEqual(['zoe halt', 'ann resume', 'zoe halt']);
  expect(first.actors).toEqual(['ann', 'config', 'zoe']);
  expect(first.items[0]).toMatchObject({ seq: 5, at: open.at, decision: { reason: 'three' } });
  const second = await reads.decisions({ limit: 3, before: first.next ?? 0 });
  expect(texts(second)).toEqual(['config policy']);
  expect([first.next, second.next, second.unread]).toEqual([2, null, []]);
});

test('decisions are filtered by actor and by kind', async () => {
  const { open, reads } = await openStore();
  await open.decide(halted('one'), 'zoe');
  await open.decide(halted('two', 'resume'), 'ann');
  expect(texts(await reads.decisions({ actor: 'ann', limit: 9 }))).toEqual(['ann resume']);
  expect(texts(await reads.decisions({ kinds: ['halt', 'policy'], limit: 9 }))).toEqual([
    'zoe halt',
    'config policy',
  ]);
  expect(texts(await reads.decisions({ actor: 'nobody', limit: 9 }))).toEqual([]);
});

test('an actor with very many other decisions hides no other actor, and is named', async () => {
  const { open, reads } = await openStore();
  for (let count = 0; count <= READ_PER_ACTOR_MAX; count += 1) {
    await open.decide(halted('again', count % 2 === 0 ? 'halt' : 'resume'), 'robot');
  }
  const kinds = ['policy'] as const;
  const all = await reads.decisions({ kinds, limit: 9 });
  expect(texts(all)).toEqual(['config policy']);
  // The first fact is the policy, the second the robot's first.
  expect([all.unread, all.next]).toEqual([[{ actor: 'robot', before: 3 }], null]);
  const alone = await reads.decisions({ actor: 'robot', kinds, limit: 9 });
  expect([texts(alone), alone.next]).toEqual([[], 3]);
  const rest = await reads.decisions({ actor: 'robot', kinds, limit: 9, before: 3 });
  expect([texts(rest), rest.next]).toEqual([[], null]);
});

test('both queries take steps of the index, however many facts there are', async () => {
  const { open } = await openStore();
  const plan = (sql: string, ...parameters: unknown[]): string =>
    open.db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...parameters)
      .map(({ detail }) => detail)
      .join('; ');
  expect(plan(ACTORS)).not.toContain('SCAN journal');
  expect(plan(ACTORS)).toContain(
    'SEARCH journal USING COVERING INDEX journal_decisions (detail>?)',
  );
  expect(plan(DECISIONS_OF, 'ann', 9, 9)).toBe(
    'SEARCH journal USING COVERING INDEX journal_decisions (detail=? AND seq<?)',
  );
});

test('a store that was made before the index is sound, and gets it when it is opened for writing', async () => {
  const { open, path } = await openStore();
  open.db.exec('DROP INDEX journal_decisions');
  open.close();
  const progress = { start: () => undefined, tick: () => undefined, done: () => undefined };
  expect(verify(path, { decode, progress }).sound).toBe(true);
  const db = openForWriting(path);
  onTestFinished(() => void db.close());
  const found = db
    .prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'journal_decisions'")
    .pluck()
    .get();
  expect(found).toBe(1);
});
