import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startCaller } from '../core-caller.ts';
import type { Json } from '../call.ts';
import type { Caller } from '../core-caller.ts';
import { OUTSIDE } from '../outside-addresses.ts';

/** A depth that can be parsed but not written. */
const TOO_DEEP = 2_250;
/** The deepest body that the core takes. */
const DEEPEST = 64;

let folder: string;
let core: Caller;
let vaultId: string;

const start = (): Promise<Caller> => startCaller({ db: join(folder, 'core.db') });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-nested-'));
  core = await start();
  vaultId = await core.vault();
});

afterEach(async () => {
  await core.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Nested arrays. */
function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

/** Every call that stores the client's own data. */
async function keepingCalls(): Promise<{ path: string; body: Json; field: string }[]> {
  const accountId = await core.account(vaultId);
  const { addressId } = await core.address(accountId, 'ripple');
  const order = { orderId: 'o', vaultId, network: 'ripple', asset: 'ripple:XRP', amount: '1' };
  const destinationAddress = OUTSIDE.ripple;
  return [
    { path: '/accounts', body: { vaultId, name: 'deep' }, field: 'data' },
    { path: '/addresses', body: { accountId, network: 'ripple' }, field: 'data' },
    { path: '/memos', body: { addressId, memo: '7' }, field: 'data' },
    { path: '/transactions', body: { ...order, destinationAddress }, field: 'metadata' },
  ];
}

describe('on a state file', () => {
  test('data nested too deeply is refused with 400 BR-2 and spoils no later call', async () => {
    for (const { path, body, field } of await keepingCalls()) {
      const answer = await core.api('POST', path, { ...body, [field]: { a: nested(TOO_DEEP) } });
      expect({ path, ...answer }).toMatchObject({
        path,
        status: 400,
        body: { errorCode: 'BR-2' },
      });
      expect((await core.api('GET', '/vaults')).status).toBe(200);
    }
    const faults = await core.control('PUT', '/sim/faults', { api: nested(TOO_DEEP) });
    expect(faults).toMatchObject({ status: 400, body: { errorCode: 'BR-2' } });
    expect((await core.api('GET', '/vaults')).status).toBe(200);
  });

  test('the deepest accepted data survives a restart', async () => {
    // The body and `data` itself are levels too.
    const data = { a: nested(DEEPEST - 2), text: '[[[[ \\" ]]' };
    const body = { vaultId, name: 'deep', data };
    expect((await core.api('POST', '/accounts', body)).status).toBe(201);
    const deeper = { vaultId, name: 'deeper', data: { a: nested(DEEPEST - 1) } };
    expect((await core.api('POST', '/accounts', deeper)).status).toBe(400);
    await core.stop();
    core = await start();
    expect((await core.api('GET', `/vaults/${vaultId}/accounts`)).body['data']).toMatchObject([
      { name: 'deep', data },
    ]);
  });
});
