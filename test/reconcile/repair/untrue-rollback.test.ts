import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { CustodyChanges } from '../../../src/reconcile/verifying/custody-changes.ts';
import { ETH, GRACE_MS, Stage, THREE_DEEP } from '../stage.ts';

const MINUTE = 60_000;

test.for([
  ['its own stream', ['incoming']],
  ['both streams', ['incoming', 'blockchain']],
] as const)(
  'a rollback forged on %s, of a deposit that waits for a person, is undone although its row never changes again',
  async ([, streams]) => {
    const stage = await Stage.start();
    await stage.open.setPolicy({
      ...THREE_DEEP,
      assets: { [ETH]: { oneApprovalAbove: Amount(1n) } },
    });
    const subscription = { webhookUrl: await stage.webhookUrl(), vaults: 'all' } as const;
    const changes = new CustodyChanges({ custody: stage.client, now: () => stage.now });
    const sweep = stage.newSweep({ subscription, changes });
    const depositAddress = await stage.depositAddress();
    const { vaultId, accountId, addressId } = depositAddress;
    const blockchainHash = await stage.paid(depositAddress, 700, 30);
    await stage.run(sweep);
    expect(await stage.depositState(blockchainHash)).toBe('held: approval_required');
    await stage.caller.advance(24 * GRACE_MS);
    await stage.run(sweep);
    const about = { timestamp: 1, type: 'rollback', vaultId, network: 'ethereum', blockchainHash };
    for (const stream of streams) {
      const position = stream === 'incoming' ? { accountId, addressId } : {};
      await stage.deliver({ id: `forged-${stream}`, stream, ...about, ...position });
    }
    expect(await stage.depositState(blockchainHash)).toBe('rolled_back');
    for (let run = 0; run < 30; run += 1) {
      await stage.run(sweep);
      await stage.caller.advance(MINUTE);
    }
    expect(await stage.depositState(blockchainHash)).toBe('held: approval_required');
    expect(stage.open.openBreaks()).toEqual([]);
  },
);
