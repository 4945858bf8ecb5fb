import { Amount } from '../../../../src/domain/money/amount.ts';
import {
  AssetId,
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../../src/domain/ids.ts';
import { closeOf, closesOf } from '../../close/closing.ts';
import { verifyWith } from '../../evidence.ts';
import { openLedgerFile, SIX_DEEP, type OpenLedger } from '../../open-ledger.ts';
import { AT_ADDRESS, change, decimals, ETH, HASH, onChain, Service } from '../../webhook.ts';

/** A store with something in every table. */
export async function fullStore(): Promise<{ open: OpenLedger; path: string }> {
  const { open, path } = await openLedgerFile();
  const service = new Service();
  const balanceChanges = [change('100', onChain('0xAb01'))];
  await open.deliver(
    service.confirmed(1, { balanceChanges }),
    service.confirmed(6),
    service.confirmed(6),
  );
  await open.deliver(service.chain('transaction'));
  await verifyWith(open);
  await open.decide({ kind: 'acknowledge', creditId: open.lastCreditId(), reference: 'r-1' });
  await open.deliver(service.incoming('rollback'));
  await verifyWith(open, { status: 'rolledback' });
  await open.deliver(service.outgoing('mined', { blockchainHash: '0xb2' }));
  const memo = { memo: 'bob', blockchainHash: '0xc3', transactionId: 'dep-3' };
  await open.deliver(service.confirmed(1, memo));
  await open.deliver('{"id":"q-1","stream":"unheard"}', 'not json', {
    ...service.confirmed(1),
    id: 'ntf-1',
  });
  await open.deliverTogether(
    service.confirmed(1, { blockchainHash: '0xd4' }),
    service.chain('transaction', {
      blockchainHash: '0xd4',
      balanceChanges: [change('90', AT_ADDRESS)],
    }),
  );
  await open.run();
  const exemption = { rule: 'known', blockchainHash: '0xd4', reason: 'x', owner: 'fin' };
  const rules = [{ ...exemption, until: Number.MAX_SAFE_INTEGER }];
  await open.decide({ kind: 'exemptions', rules }, 'config');
  const own = {
    rule: 'own',
    vaultId: 'v9',
    reason: 'x',
    owner: 'fin',
    until: open.at + 86_400_000,
  };
  await open.decide({ kind: 'exempt', rule: own });
  await open.run();
  await open.decide({ kind: 'restored', reason: 'put back from a backup' }, 'restore');
  await open.setPolicy({ ...SIX_DEEP, default: { confirmations: 7 } });
  await closedTwice(open);
  return { open, path };
}

/**
 * Two days closed: the first compared with the custody API and signed by both, as before exempt
 * differences were counted; the second with that count.
 */
async function closedTwice(open: OpenLedger): Promise<void> {
  const [one, two] = ['2025-11-20', '2025-11-21'];
  await open.record(
    closeOf(open, {
      day: one,
      cutOffAt: open.at - 2_000,
      custody: {
        kind: 'read',
        readAt: open.at,
        requests: 1,
        watermark: open.at,
        transactions: 1,
        unreadable: 0,
        counted: [
          {
            transactionId: TransactionId('dep-tx'),
            vaultId: VaultId('v1'),
            network: NetworkKey('ethereum'),
            blockchainHash: BlockchainHash(HASH),
            amounts: [{ asset: AssetId(ETH), amount: Amount(100n) }],
            updatedAt: open.at,
          },
        ],
        pending: [],
      },
    }),
  );
  await open.record(closeOf(open, { day: two, cutOffAt: open.at + 1, exempt: { known: 1 } }));
  const reportHash = closesOf(open)[0]?.report_hash ?? '';
  const sign = { kind: 'sign', day: one, reportHash, reason: 'seen' } as const;
  await open.decide({ ...sign, role: 'preparer' }, 'ann');
  await open.decide({ ...sign, role: 'reviewer' }, 'bob');
  const balanceChanges = [{ ...change('1'), ...decimals(6) }];
  const seen = new Service().incoming('mempool', { blockchainHash: '0xdec', balanceChanges });
  await open.deliver({ ...seen, id: 'decimals' });
  const asset = AssetId('ethereum:ETH');
  await open.decide({ kind: 'decimals', asset, decimals: 18, reason: 'as it is' });
  const token = { kind: 'create-token', name: 'desk', role: 'viewer', sha256: 'aa' } as const;
  await open.decide({ ...token, reason: 'ticket 12' }, 'ada');
}
