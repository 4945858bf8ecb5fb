import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Attached } from '../attached.ts';
import { callProgram } from '../called-program.ts';
import { Daemon } from '../daemon.ts';
import { eventually } from '../program.ts';

/** Starts of the program take seconds on a busy machine, and these tests start it often. */
const PATIENCE_MS = 480_000;

interface Held {
  readonly version: string;
  readonly source: string;
  readonly setBy: string;
  readonly halted: readonly string[];
  readonly policy: { readonly default: { readonly confirmations: number } };
  readonly warnings: readonly string[];
}

function held(daemon: Daemon): Promise<Held> {
  return daemon.get<Held>('/v1/policy');
}

function configure(daemon: Daemon, crediting: object): void {
  const config = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as object;
  writeFileSync(daemon.configPath, JSON.stringify({ ...config, crediting }));
}

async function put(daemon: Daemon, policy: object): Promise<Response> {
  const { version } = await held(daemon);
  return fetch(`${daemon.url}/v1/policy`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${daemon.adminToken}`,
      'content-type': 'application/json',
      'if-match': `"${version}"`,
    },
    body: JSON.stringify({ policy, reason: 'tested' }),
  });
}

async function restart(daemon: Daemon): Promise<void> {
  await daemon.end('SIGTERM');
  await daemon.start();
}

test(
  'a restart undoes nothing that was set through the API; a changed file replaces it, but no halt',
  async () => {
    const daemon = await Daemon.start();
    expect(await held(daemon)).toMatchObject({ source: 'config', halted: [] });
    expect((await put(daemon, { default: { confirmations: 9 } })).status).toBe(200);
    await daemon.post('/v1/policy/halt', { network: 'ethereum', reason: 'a fork' });
    const set = await held(daemon);
    await restart(daemon);
    expect(await held(daemon)).toEqual(set);
    expect(set).toMatchObject({
      source: 'api',
      setBy: 'tester',
      halted: ['network ethereum'],
      policy: { default: { confirmations: 9 } },
    });
    expect(daemon.stderr()).toContain('tester set through the API');
    // The same policy in another order is no change of it.
    configure(daemon, { assets: {}, networks: {}, default: { confirmations: 3 } });
    await restart(daemon);
    expect(await held(daemon)).toEqual(set);
    configure(daemon, { default: { confirmations: 5 } });
    await restart(daemon);
    expect(await held(daemon)).toMatchObject({
      source: 'config',
      halted: ['network ethereum'],
      policy: { default: { confirmations: 5 } },
    });
    expect(daemon.stderr()).toContain('still halted: network ethereum');
    await daemon.post('/v1/policy/resume', { network: 'ethereum', reason: 'over' });
    await restart(daemon);
    expect(await held(daemon)).toMatchObject({ source: 'api', halted: [] });
    await daemon.end('SIGTERM');
    const audit = await callProgram('verify', '--store', daemon.storePath);
    expect([audit.code, audit.stdout]).toEqual([0, expect.stringContaining('sound')]);
  },
  PATIENCE_MS,
);

test('a halt stops a credit that is due, and its resumption lets it go', async () => {
  const both = await Attached.start();
  const { daemon } = both;
  await daemon.post('/v1/policy/halt', { reason: 'odd' });
  const { addressId } = both.depositAddress;
  const body = { network: 'ethereum', addressId, asset: 'ethereum:ETH', amount: '700' };
  const paid = (await both.control.post('/sim/deposits', body)) as { blockchainHash: string };
  await both.control.post('/sim/blocks', { network: 'ethereum', count: 3 });
  await both.untilState(paid.blockchainHash, ['held']);
  await both.reconcile();
  expect(await both.feed()).toEqual([]);
  await daemon.post('/v1/policy/resume', { reason: 'it was not' });
  await both.reconcile();
  await both.untilState(paid.blockchainHash, ['credited']);
  const audit = await callProgram('verify', '--store', daemon.storePath);
  expect(audit.code).toBe(0);
});

test(
  'the answer, the log and the doctor name misspelt names and depths out of reach',
  async () => {
    const both = await Attached.start();
    const { daemon } = both;
    const policy = {
      default: { confirmations: 3 },
      networks: { etherum: { halted: true }, ripple: { confirmations: 9 } },
    };
    const answer = (await (await put(daemon, policy)).json()) as Held;
    expect(answer.warnings).toEqual([
      expect.stringMatching(/^networks\.etherum: no network "etherum" is known; .*\bethereum\b/),
      expect.stringContaining('a depth of 9 for ripple'),
    ]);
    await both.reconcile();
    expect(await both.openBreaks()).toMatchObject([{ type: 'subscription_drift' }]);
    await restart(daemon);
    await eventually('the log says it', async () =>
      daemon.stderr().includes('is known; there are') && daemon.stderr().includes('depth of ripple')
        ? true
        : undefined,
    );
    const doctor = await callProgram('doctor', '--config', daemon.configPath);
    expect(doctor.stdout).toContain('tester set through the API');
    expect(doctor.stdout).toMatch(
      /warning .*is known; there are .*ethereum.*\. A rule with a wrong name applies to no deposit$/m,
    );
    expect(doctor.stdout).toMatch(/warning depth of ripple: 9 is never shown/);
    expect((await put(daemon, { default: { confirmations: 3 } })).status).toBe(200);
    await both.reconcile();
    expect(await both.openBreaks()).toEqual([]);
  },
  PATIENCE_MS,
);
