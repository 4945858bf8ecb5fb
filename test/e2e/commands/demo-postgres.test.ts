import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { isInstalled } from '../../postgres/installed.ts';
import { eventually, launchKillable, runProgram } from '../program.ts';

const DEMO_MS_MAX = 900_000;

/** Core, PostgreSQL and receivers start, and each kill heals, which takes long on a busy machine. */
const STEP_MS_MAX = 400_000;

const summary = z.object({
  notifications: z.object({ accepted: z.int(), quarantined: z.literal(0) }),
  outstanding: z.object({ deposits: z.literal(0), acknowledgements: z.literal(0) }),
  tieOut: z.object({ balanced: z.boolean() }),
  failover: z.strictObject({
    kills: z.array(z.strictObject({ killed: z.string(), outageSeconds: z.number().positive() })),
    acknowledged: z.int().min(1),
    lost: z.int(),
  }),
});

describe.runIf(isInstalled)('the demo on PostgreSQL', () => {
  test(
    'kills the owner and the primary, loses nothing, balances, and leaves nothing behind',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'counterfoil-demo-postgres-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      // The user of the servers passes through.
      chmodSync(folder, 0o711);
      const args = ['demo', '--store', 'postgres', '--seed', '3', '--json'];
      const ports = ['--port', '0', '--core-port', '0'];
      const demo = launchKillable([...args, ...ports], { environment: { TMPDIR: folder } });
      onTestFinished(() => demo.kill('SIGHUP'));
      let isOver = false;
      const over = demo.finished.finally(() => {
        isOver = true;
      });
      const says = (text: string): Promise<unknown> =>
        eventually(
          text,
          async () => (isOver || demo.stderr().includes(text) ? true : undefined),
          STEP_MS_MAX,
        );

      await says('seed 3');
      const [, url = ''] = /^console +(\S+)$/m.exec(demo.stderr()) ?? [];
      const page = await fetch(url);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')]);
      await says('as a new standby');
      demo.kill('SIGINT');

      const { code, stdout, stderr } = await over;
      expect([code, stderr]).toEqual([0, expect.stringContaining('traffic has ended')]);
      const printed = summary.parse(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''));
      expect(printed.failover.kills.map(({ killed }) => killed)).toEqual([
        expect.stringMatching(/^receiver [ab]$/),
        'primary db1',
      ]);
      expect(printed.failover.lost).toBe(0);
      expect(printed.notifications.accepted).toBeGreaterThanOrEqual(printed.failover.acknowledged);
      expect(printed.tieOut.balanced).toBe(true);
      await expect.poll(() => existsSync(folder) && readdirSync(folder)).toEqual([]);
    },
    DEMO_MS_MAX,
  );
});

test.skipIf(isInstalled)(
  '--store postgres without PostgreSQL says what to install, and that SQLite needs nothing',
  async () => {
    const { code, stderr } = await runProgram('demo', '--store', 'postgres');
    expect([code, stderr]).toEqual([
      1,
      'counterfoil: --store postgres needs PostgreSQL on this machine: install it (`apt-get install postgresql`; no cluster has to run). `npm start` alone needs none.\n',
    ]);
  },
);
