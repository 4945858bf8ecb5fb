import Database from 'better-sqlite3';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  collect,
  eventually,
  freePort,
  launchInTerminal,
  launchKillable,
  launchProgram,
} from '../program.ts';
import { blocksOf, readPage } from '../../docs/reading/page.ts';

const DEMO_MS_MAX = 600_000;

/** Core and daemon start one after the other, which takes long on a busy machine. */
const START_MS_MAX = 240_000;

const count = z.int().min(0);
const amount = z.string().regex(/^-?(0|[1-9][0-9]*)$/);

const summary = z.strictObject({
  notifications: z.strictObject({ accepted: count, duplicates: count, quarantined: count }),
  deposits: z.record(z.string(), count),
  credits: z.strictObject({
    credits: count,
    acknowledged: count,
    refused: count,
    reversals: count,
  }),
  creditLatency: z
    .strictObject({ items: count, p50Seconds: z.number().min(0), p99Seconds: z.number().min(0) })
    .nullable(),
  breaks: z.strictObject({ open: count, resolved: count }),
  outstanding: z.strictObject({
    deposits: count,
    acknowledgements: count,
    reversals: count,
    incomplete: z.string().nullable(),
  }),
  tieOut: z.strictObject({
    balanced: z.boolean(),
    assets: z
      .array(
        z.strictObject({ asset: z.string(), books: amount, custody: amount, difference: amount }),
      )
      .min(1),
  }),
});

/** As the program left it whose feed was put back from a backup since: it had read on, and booked what is gone. */
function leaveBookings(path: string, program: string): void {
  const tables = /db\.exec\(`([^`]*)`\)/.exec(program)?.[1];
  if (tables === undefined) throw new Error('the consumer makes no tables');
  const exchange = new Database(path);
  exchange.exec(tables);
  exchange.exec(`UPDATE feed_cursor SET seq = 4711;
    INSERT INTO bookings VALUES ('crd_gone', 'credit', NULL, 'ann', '0x1', 'ethereum:ETH', '1', 0, 1)`);
  exchange.close();
}

/**
 * The consumer of the how-to page, compiled by the page's own line in its own folder; `start` starts
 * it by the next line. Compiling may take a busy machine longer than the demo runs.
 */
function compileConsumer() {
  const blocks = blocksOf(readPage('docs/how-to/read-the-credit-feed.md'));
  const [install, run] = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
  const program = blocks.find(({ file }) => file === 'feed.mts')?.text;
  if (run === undefined || program === undefined) throw new Error('the page has no program');
  expect(install).toMatch(/^npm init -y && npm i /);
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-consumer-'));
  // In place of the install line, which takes the same packages.
  symlinkSync(
    fileURLToPath(new URL('../../../node_modules', import.meta.url)),
    `${folder}/node_modules`,
  );
  writeFileSync(join(folder, 'feed.mts'), program);
  leaveBookings(join(folder, 'exchange.db'), program);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [compile = '', begin = '', ...more] = run.trimEnd().split('\n');
  expect(more).toEqual([]);
  execFileSync('sh', ['-ec', compile], { cwd: folder });
  const start = (options: { url: string; token: string }) => {
    const line = begin.replace('the token of role crediting', options.token);
    const child = spawn('sh', ['-ec', line], {
      cwd: folder,
      detached: true,
      env: { ...process.env, COUNTERFOIL_URL: options.url },
    });
    const { pid } = child;
    onTestFinished(() => {
      // The whole group: the shell waits for the program.
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    });
    return collect(child.stderr);
  };
  return { database: join(folder, 'exchange.db'), start };
}

test(
  'the demo ends by itself with exact books, and the example consumer books credits beside it',
  async () => {
    const program = compileConsumer();
    const [port, corePort] = [await freePort(), await freePort()];
    const ports = ['--port', String(port), '--core-port', String(corePort)];
    const flags = ['--for', '12s', '--seed', '3', '--json'];
    const demo = launchProgram('demo', ...flags, ...ports);
    const token = await eventually(
      'the token of role crediting',
      async () => /^token +(\S+) +role crediting/m.exec(demo.stderr())?.[1],
      START_MS_MAX,
    );
    const errors = program.start({ url: `http://127.0.0.1:${port}`, token });
    const { code, stdout, stderr } = await demo.finished;
    const printed = summary.parse(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''));
    expect(printed.tieOut.balanced).toBe(true);
    for (const { asset, books, custody, difference } of printed.tieOut.assets) {
      expect([asset, BigInt(books) - BigInt(custody)]).toEqual([asset, BigInt(difference)]);
      expect(difference).toBe('0');
    }
    expect(printed.notifications.accepted).toBeGreaterThan(50);
    expect(printed.credits.credits).toBeGreaterThan(0);
    expect(printed.outstanding).toMatchObject({ deposits: 0, acknowledgements: 0, reversals: 0 });
    expect(printed.credits.acknowledged + printed.credits.refused).toBe(printed.credits.credits);
    expect(stderr).not.toContain('not healed');
    // Only when there was time for the deep reorg that takes a deposit after its credit.
    const due = stderr.includes('after it was credited') ? 1 : 0;
    expect(printed.credits.reversals).toBeGreaterThanOrEqual(due);
    expect(code).toBe(0);

    const exchange = new Database(program.database, { readonly: true });
    onTestFinished(() => void exchange.close());
    const booked = exchange.prepare(
      "SELECT count(*) FROM bookings WHERE kind = 'credit' AND acknowledged = 1 AND credit_id <> 'crd_gone'",
    );
    expect(booked.pluck().get()).toBeGreaterThan(0);
    expect(errors()).toMatch(/no credit crd_gone[^]*has no cursor 4711/);
    expect(errors()).not.toMatch(/acknowledged already|(?:ack of \S+|feed): \d/);
    // The demo has ended, and its daemon with it.
    await eventually('the program says why it waits', async () =>
      /^fetch failed: ECONNREFUSED at http:\S+$/m.test(errors()) ? true : undefined,
    );
    expect(errors()).not.toMatch(/^\s+at /m);
  },
  DEMO_MS_MAX,
);

/** A demo at a terminal, once its traffic is under way. */
async function demoAtTerminal() {
  const [port, corePort] = [await freePort(), await freePort()];
  const flags = ['--seed', '3', '--json', '--port', `${port}`, '--core-port', `${corePort}`];
  const demo = launchInTerminal('demo', ...flags);
  onTestFinished(() => demo.ctrlC());
  await eventually(
    'the traffic is under way',
    async () => (demo.stderr().includes('a reorg took deposit') ? true : undefined),
    START_MS_MAX,
  );
  /** Whether daemon and core are gone. */
  const isOver = async (): Promise<true | undefined> => {
    const urls = [`http://127.0.0.1:${port}/healthz`, `http://127.0.0.1:${corePort}/`];
    const answers = await Promise.all(urls.map((url) => fetch(url).catch(() => null)));
    return answers.every((answer) => answer === null) ? true : undefined;
  };
  return { demo, isOver };
}

test(
  'Ctrl-C at a terminal ends the demo in order: what is under way arrives, and the books balance',
  async () => {
    const { demo, isOver } = await demoAtTerminal();
    demo.ctrlC();
    const { code, stdout, stderr } = await demo.finished;
    expect([code, stderr]).toEqual([0, expect.stringContaining('traffic has ended')]);
    expect(summary.parse(JSON.parse(stdout))).toMatchObject({
      outstanding: { deposits: 0, acknowledgements: 0 },
      tieOut: { balanced: true },
    });
    expect(await isOver()).toBe(true);
  },
  DEMO_MS_MAX,
);

test(
  'a second Ctrl-C ends the demo at once, and nothing of it is left',
  async () => {
    const { demo, isOver } = await demoAtTerminal();
    demo.ctrlC();
    await eventually('the first has been taken', async () =>
      demo.stderr().includes('traffic has ended') ? true : undefined,
    );
    demo.ctrlC();
    const { code, stdout, stderr } = await demo.finished;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('ended at once: the books were not compared');
    expect(stderr).not.toMatch(/^\s+at /m);
    await eventually('both processes are gone', isOver);
  },
  DEMO_MS_MAX,
);

test(
  'the demo starts from a folder whose name has a space and other signs, and keeps its files in one',
  async () => {
    const parent = mkdtempSync(join(tmpdir(), 'counterfoil-named-'));
    onTestFinished(() => rmSync(parent, { recursive: true }));
    const folder = join(parent, 'a space, 100 %25 #1?');
    for (const name of ['dist', 'config', 'package.json', 'schema.sql']) {
      const from = fileURLToPath(new URL(`../../../${name}`, import.meta.url));
      cpSync(from, join(folder, name), { recursive: true });
    }
    const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));
    symlinkSync(packages, join(folder, 'node_modules'));
    const files = join(folder, 'temporary');
    mkdirSync(files);
    const ports = ['--port', '0', '--core-port', '0'];
    const demo = launchKillable(['demo', ...ports], {
      main: join(folder, 'dist', 'main.js'),
      environment: { TMPDIR: files },
    });
    onTestFinished(() => demo.kill('SIGHUP'));
    let isOver = false;
    const over = demo.finished.finally(() => {
      isOver = true;
    });
    await eventually(
      'it is under way, or has failed',
      async () => (isOver || demo.stderr().includes('console ') ? true : undefined),
      START_MS_MAX,
    );
    expect(demo.stderr()).toMatch(/^console +http:\/\/127\.0\.0\.1:[1-9]/m);
    // Its processes go with it.
    demo.kill('SIGHUP');
    expect((await over).code).toBe(1);
  },
  DEMO_MS_MAX,
);
