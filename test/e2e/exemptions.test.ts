import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Attached, ETH } from './attached.ts';
import { runProgram } from './program.ts';

/** Starts of the program take seconds on a busy machine. */
const PATIENCE_MS = 120_000;

const DAY_MS = 86_400_000;

function dayIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

test(
  'rules of the configuration exempt what they match, until they are taken out',
  async () => {
    const both = await Attached.start();
    const { daemon } = both;
    const config = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as {
      reconcile: Record<string, unknown>;
    };
    const restartWith = async (exemptions: object[]): Promise<void> => {
      const reconcile = { ...config.reconcile, exemptions };
      writeFileSync(daemon.configPath, JSON.stringify({ ...config, reconcile }));
      await daemon.end('SIGTERM');
      await daemon.start();
    };
    const forged = {
      ...both.place,
      id: 'forged',
      timestamp: Date.now(),
      stream: 'incoming',
      type: 'confirmation',
      network: 'ethereum',
      blockchainHash: '0xf0f0',
      transactionId: 'nobody',
      confirmations: 12,
      balanceChanges: [{ asset: ETH, amount: '9000000', tags: [] }],
    };
    await daemon.deliver(JSON.stringify(forged));
    const owned = { reason: 'a test of ours', owner: 'operations' };
    const rule = { rule: 'drill', blockchainHash: '0xf0f0', until: dayIn(30), ...owned };
    const ended = { ...rule, rule: 'last year', until: dayIn(-2) };
    await restartWith([rule, { ...rule, rule: 'ends soon', until: dayIn(2) }, ended]);
    // The deposit that custody does not know, and the books that moved for it.
    expect(await both.reconcile()).toMatchObject({ break: 0, exempt: { drill: 2 } });
    expect([await both.openBreaks(), await both.feed()]).toEqual([[], []]);
    writeFileSync(join(daemon.folder, 'token'), daemon.adminToken, { mode: 0o600 });
    const by = ['--url', daemon.url, '--token-file', join(daemon.folder, 'token')];
    const run = await runProgram('reconcile', ...by);
    expect([run.code, run.stdout]).toEqual([0, expect.stringMatching(/^exempt +\d+ drill$/m)]);
    const doctor = await runProgram('doctor', '--config', daemon.configPath);
    expect(doctor.stdout).toMatch(/ok +exemptions: 1 in force for more than a week/);
    expect(doctor.stdout).toMatch(/warning exemption "ends soon": of operations .* ends at/);
    expect(doctor.stdout).toMatch(/warning exemption "last year": of operations .* ended at/);
    await restartWith([]);
    await both.reconcile();
    expect(new Set((await both.openBreaks()).map(({ type }) => type))).toEqual(
      new Set(['unknown_to_custody', 'conservation']),
    );
    const audit = await runProgram('verify', '--store', daemon.storePath);
    expect([audit.code, audit.stdout]).toEqual([0, expect.stringContaining('sound')]);
  },
  PATIENCE_MS,
);
