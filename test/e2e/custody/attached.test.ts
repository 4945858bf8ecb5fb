import { expect, test } from 'vitest';
import { Attached, ETH } from '../attached.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, runProgram } from '../program.ts';

test('a forged confirmation is never credited and opens a critical break; a true one is', async () => {
  const both = await Attached.start();
  const hash = await both.deposit('700');
  const answer = await both.daemon.deliver(
    JSON.stringify({
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
    }),
  );
  expect(answer.status).toBe(200);
  expect(await both.reconcile()).toMatchObject({ incomplete: null });
  await both.reconcile();
  expect((await both.feed()).map((item) => item.blockchainHash)).toEqual([hash]);
  // Nobody is to credit it, and the books hold what the custody API says was never moved.
  const webhook = { blockchainHash: '0xf0f0', expected: '0', difference: '9000000' };
  const breaks = await both.openBreaks();
  // Each may be found first: by the run, or by the look-up of the deposit before it.
  expect(breaks.toSorted((one, other) => (one.type < other.type ? -1 : 1))).toMatchObject([
    { ...webhook, type: 'conservation', severity: 'warning' },
    { ...webhook, type: 'unknown_to_custody', severity: 'critical' },
  ]);
  await both.untilState('0xf0f0', ['verifying']);
});

test('a restart keeps the feed and its acknowledgements', async () => {
  const both = await Attached.start();
  await both.deposit('700');
  await both.reconcile();
  const [first] = await both.feed();
  if (first === undefined) throw new Error('no credit');
  await both.daemon.post(`/v1/credits/${first.creditId}/ack`, { reference: 'r-1' });
  await both.daemon.end('SIGKILL');
  await both.daemon.start();
  expect(await both.feed()).toEqual([first]);
  expect(await both.feed(first.seq)).toEqual([]);
  await both.untilState(first.blockchainHash, ['settled']);
  await both.daemon.post(`/v1/credits/${first.creditId}/ack`, { reference: 'r-1' });
  await expect(
    both.daemon.post(`/v1/credits/${first.creditId}/ack`, { reference: 'r-2' }),
  ).rejects.toThrow(/409/);
  const hash = await both.deposit('800');
  await both.reconcile();
  const [second, ...more] = await both.feed(first.seq);
  expect(more).toEqual([]);
  expect(second).toMatchObject({ kind: 'credit', amount: '800', blockchainHash: hash });
  expect(second?.seq).toBeGreaterThan(first.seq);
});

test('a waiting consumer receives a credit at once', async () => {
  const both = await Attached.start();
  const call = both.daemon.get<{ data: { amount: string }[] }>('/v1/credits?after=0&wait=20');
  await both.deposit('700');
  await both.reconcile();
  expect((await call).data).toMatchObject([{ amount: '700' }]);
});

test('what the core retries after the daemon was killed arrives once', async () => {
  const both = await Attached.start();
  await both.daemon.end('SIGKILL');
  const body = {
    network: 'ethereum',
    addressId: both.depositAddress.addressId,
    asset: ETH,
    amount: '700',
  };
  const paid = (await both.control.post('/sim/deposits', body)) as { blockchainHash: string };
  await both.control.post('/sim/blocks', { network: 'ethereum', count: 3 });
  await both.daemon.start();
  // A run asks for retries that wait, and backfills what they do not bring.
  await eventually('credited', async () => {
    await both.reconcile();
    return (await both.feed()).length > 0 ? true : undefined;
  });
  await both.reconcile();
  const feed = await both.feed();
  expect(feed.map(({ blockchainHash, amount }) => ({ blockchainHash, amount }))).toEqual([
    { blockchainHash: paid.blockchainHash, amount: '700' },
  ]);
});

test('`counterfoil reconcile` runs it in the daemon and says how every comparison ended', async () => {
  const both = await Attached.start();
  const { daemon } = both;
  const hash = await both.deposit('700');
  const tokenFile = join(daemon.folder, 'token');
  writeFileSync(tokenFile, `${daemon.adminToken}\n`);
  const flags = ['--url', daemon.url, '--token-file', tokenFile];
  const { code, stdout, stderr } = await runProgram('reconcile', ...flags, '--json');
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ break: 0, incomplete: null });
  type Used = { readonly minute: number; readonly hour: number };
  const ready = await daemon.get<{ custody: { requests: Used } }>('/readyz');
  const { minute, hour } = ready.custody.requests;
  expect(minute).toBeGreaterThan(0);
  expect(hour).toBeGreaterThanOrEqual(minute);
  await both.untilState(hash, ['credited']);
  await both.control.put('/sim/faults', { api: [{ fault: 'error' }] });
  const failed = await runProgram('reconcile', ...flags);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('incomplete');
  writeFileSync(tokenFile, 'not-the-token');
  const refused = await runProgram('reconcile', ...flags);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /401: The token is unknown, replaced or revoked.*Set COUNTERFOIL_TOKEN/,
  );
  expect(refused.stderr).not.toContain('{');
});
