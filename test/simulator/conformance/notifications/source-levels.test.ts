import { expect, test } from 'vitest';
import { covers } from '../coverage.ts';
import { entryLine } from '../notification-line.ts';
import { setStage } from '../stage.ts';
import { fundedVault } from './funded-vault.ts';
import { entriesOf, minedOrder, sumOf } from './mined-order.ts';

const stage = setStage('source-levels');

test(
  'mined is merged to the account or vault that the order names, and carries what that level knows',
  covers('source-levels/account', 'source-levels/vault'),
  async () => {
    for (const level of ['account', 'vault']) {
      const { vault, address } = await fundedVault(stage, {
        network: 'bitcoin',
        funds: { BTC: '100000000' },
      });
      const second = await stage.address(vault, 'bitcoin', level === 'vault' ? 'other' : 'main');
      await stage.fund(second, 'BTC', '50000000');
      const scope = level === 'account' ? { accountId: address.accountId } : {};
      const received = await minedOrder(stage, vault, {
        asset: 'bitcoin:BTC',
        amount: '120000000',
        ...scope,
      });
      const entries = entriesOf(received, 'outgoing', 'mined');
      // Two inputs and two outputs: 209 virtual bytes.
      expect(entries.map(entryLine)).toEqual(['-120000000 BTC', '-1045 BTC fee']);
      const accountId = level === 'account' ? second.accountId : undefined;
      for (const entry of entries) {
        expect([entry.address, entry.account?.id]).toEqual([undefined, accountId]);
      }
      expect(sumOf(received, 'outgoing mined')).toEqual(sumOf(received, 'blockchain transaction'));
    }
  },
);

/**
 * The vault's option, the fields that an order names beside its vault, and the level of `mined`.
 */
const LEVELS = [
  [undefined, 'nothing', 'vault'],
  ['address', 'nothing', 'address'],
  ['account', 'nothing', 'account'],
  ['address', 'accountId', 'account'],
  ['vault', 'accountId', 'account'],
  ['account', 'addressId', 'address'],
  ['vault', 'addressId', 'address'],
] as const;

for (const [option, named, level] of LEVELS) {
  const vaultText = option === undefined ? 'a vault without an option' : `a vault at ${option}`;
  test(
    `an order that names ${named} in ${vaultText} is received by ${level}`,
    covers(`source-levels/${level}`),
    async () => {
      const settings = option === undefined ? {} : { source: option };
      const funds = { ETH: '1000000000000000000' };
      const { vault, address } = await fundedVault(stage, { network: 'ethereum', funds }, settings);
      const scope = named === 'nothing' ? {} : { [named]: address[named] };
      const received = await minedOrder(stage, vault, { asset: 'ethereum:ETH', ...scope });
      const entries = entriesOf(received, 'outgoing', 'mined');
      expect(entries).toHaveLength(2);
      for (const entry of entries) {
        expect([entry.address?.id, entry.account?.id]).toEqual([
          level === 'address' ? address.addressId : undefined,
          level === 'vault' ? undefined : address.accountId,
        ]);
      }
    },
  );
}
