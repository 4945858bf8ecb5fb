import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { PASSWORD } from '../../postgres/server.ts';
import { launchKillable, runProgram } from '../program.ts';

const PASSWORD_FILE = 'admin.password';

describe.runIf(isInstalled)('counterfoil init', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
    await cluster.sql('CREATE ROLE receivers');
  });
  afterAll(() => cluster?.stop());

  const store = (schema: string): string =>
    `postgres://admin@127.0.0.1:${cluster.primary.port}/postgres?schema=${schema}`;

  test('creates the journal with the password of a file, and says what the runtime role may do', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-init-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, PASSWORD_FILE);
    writeFileSync(file, `${PASSWORD}\n`);
    const args = ['init', '--store', store('books'), '--password-file', file];
    const first = await runProgram(...args, '--runtime-role', 'receivers');
    expect(first.stdout).toContain('(schema books): the journal is created (store ');
    expect(first.stdout).toContain('Role receivers may append to it, and cannot change');
    expect(first.code).toBe(0);
    const again = await runProgram(...args);
    expect(again.stdout).toContain('the journal was there already');
    expect(again.stdout).toContain('call init again with --runtime-role');
  });

  test('takes the password from PGPASSWORD, and prints JSON', async () => {
    const args = ['init', '--store', store('more'), '--json'];
    const { code, stdout } = await launchKillable(args, { environment: { PGPASSWORD: PASSWORD } })
      .finished;
    expect(JSON.parse(stdout)).toEqual({ storeId: expect.any(String) as unknown, isNew: true });
    expect(code).toBe(0);
  });

  test('without the right password ends with 1, and says what to check', async () => {
    const args = ['init', '--store', store('closed')];
    const environment = { PGPASSWORD: 'wrong-one' };
    const { code, stderr } = await launchKillable(args, { environment }).finished;
    expect(code).toBe(1);
    expect(stderr).toContain('the password is wrong: check PGPASSWORD');
    expect(stderr).not.toContain('wrong-one');
  });
});
