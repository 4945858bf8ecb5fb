import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SessionFile, type StoredSession } from '../../../src/console/session/session-file.ts';

const SESSION: StoredSession = {
  digest: 'd1',
  credential: { kind: 'token', sha256: 'f0' },
  endsAt: 2,
  actedAt: 1,
};

test('a file that cannot be replaced is removed, so that no session that ended opens again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-sessions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'store.db.sessions');
  const failures: unknown[] = [];
  const file = new SessionFile({ path, onFailure: (error) => failures.push(error) });
  file.write([SESSION]);
  expect(file.read()).toEqual([SESSION]);
  mkdirSync(`${path}.next`);
  file.write([]);
  expect([existsSync(path), file.read()]).toEqual([false, []]);
  expect(failures).toHaveLength(1);
});
