import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Attached, ETH } from '../attached.ts';
import { callProgram } from '../called-program.ts';
import type { Daemon } from '../daemon.ts';
import { eventually, runProgram } from '../program.ts';

/** Starts of the program take seconds on a busy machine. */
const PATIENCE_MS = 480_000;

const DAY_MS = 86_400_000;

const OWNED = { reason: 'a test of ours', owner: 'operations' };

/** Writes the rules into the configuration and starts the daemon anew; answers when. */
async function restartWith(daemon: Daemon, exemptions: object[]): Promise<number> {
  const config = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as { reconcile: object };
  const reconcile = { ...config.reconcile, exemptions };
  writeFileSync(daemon.configPath, JSON.stringify({ ...config, reconcile }));
  await daemon.end('SIGTERM');
  const restartedAt = Date.now();
  await daemon.start();
  return restartedAt;
}

/**
 * The first run since a moment. The daemon may run before a test asks, and a later run does not look
 * up again what was looked up a moment ago.
 */
async function firstRunSince(both: Attached, at: number): Promise<object | undefined> {
  await both.reconcile();
  const { data } = await both.daemon.get<{ data: { startedAt: string }[] }>('/v1/reconciliations');
  return data.findLast(({ startedAt }) => Date.parse(startedAt) >= at);
}

function dayIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

test(
  'rules of the configuration and of people exempt what they match, until they are taken out',
  async () => {
    const both = await Attached.start();
    const { daemon } = both;
    const forged = {
      ...both.depositAddress,
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
    const rule = { rule: 'drill', blockchainHash: '0xf0f0', until: dayIn(30), ...OWNED };
    const ended = { ...rule, rule: 'last year', until: dayIn(-2) };
    const endsSoon = { ...rule, rule: 'ends soon', until: dayIn(2) };
    const drilling = await restartWith(daemon, [rule, endsSoon, ended]);
    // The deposit that custody does not know, and the books that moved for it.
    const drilled = { break: 0, exempt: { drill: 2 } };
    expect(await firstRunSince(both, drilling)).toMatchObject(drilled);
    expect([await both.openBreaks(), await both.feed()]).toEqual([[], []]);
    writeFileSync(join(daemon.folder, 'token'), daemon.adminToken, { mode: 0o600 });
    const by = ['--url', daemon.url, '--token-file', join(daemon.folder, 'token')];
    const run = await runProgram('reconcile', ...by);
    expect([run.code, run.stdout]).toEqual([0, expect.stringMatching(/^exempt +\d+ drill$/m)]);
    const doctor = await callProgram('doctor', '--config', daemon.configPath);
    expect(doctor.stdout).toMatch(/ok +exemptions: 1 in force for more than a week/);
    expect(doctor.stdout).toMatch(/warning exemption "ends soon": of operations .* ends at/);
    expect(doctor.stdout).toMatch(/warning exemption "last year": of operations .* ended at/);
    await daemon.post('/v1/exemptions', { ...rule, rule: 'by hand', until: dayIn(3) });
    const byHand = await restartWith(daemon, []);
    expect(await firstRunSince(both, byHand)).toMatchObject({ break: 0, exempt: { 'by hand': 2 } });
    const next = await callProgram('doctor', '--config', daemon.configPath);
    expect(next.stdout).toMatch(/warning exemption "by hand": of operations .* ends at/);
    await daemon.post('/v1/exemptions/by%20hand/end', { reason: 'the drill is over' });
    await both.reconcile();
    expect(new Set((await both.openBreaks()).map(({ type }) => type))).toEqual(
      new Set(['unknown_to_custody', 'conservation']),
    );
    const audit = await callProgram('verify', '--store', daemon.storePath);
    expect([audit.code, audit.stdout]).toEqual([0, expect.stringContaining('sound')]);
  },
  PATIENCE_MS,
);

test(
  'the log and the doctor name rules about an unknown network or asset',
  async () => {
    const both = await Attached.start();
    const { daemon } = both;
    await both.deposit('700');
    const rule = (name: string, about: object) => ({
      rule: name,
      until: dayIn(30),
      ...OWNED,
      ...about,
    });
    await restartWith(daemon, [
      rule('fine', { asset: ETH, network: 'ethereum' }),
      rule('bare', { asset: 'eth' }),
      rule('slip', { network: 'etherum' }),
    ]);
    const bare =
      'asset "eth" of the rule "bare": an asset is named by its network and symbol: is it ethereum:ETH? A rule with a wrong name exempts nothing';
    const slip = 'network "etherum" of the rule "slip": no network "etherum" is known; there are ';
    const { stdout } = await callProgram('doctor', '--config', daemon.configPath);
    const said = stdout.split('\n').filter((line) => line.includes('names in'));
    expect(said).toEqual([
      `warning names in the exemption rules: ${bare}`,
      expect.stringContaining(slip),
    ]);
    const logged = () =>
      daemon
        .stderr()
        .split('\n')
        .filter((line) => line.includes('"check":"exemptions"'))
        .map((line) => (JSON.parse(line) as { msg: string }).msg);
    await eventually('the log says it', async () => (logged().length === 2 ? true : undefined));
    expect(logged()).toEqual([bare, expect.stringContaining(slip)]);
  },
  PATIENCE_MS,
);
