import { verifyWith } from '../../store/evidence.ts';
import type { OpenLedger } from '../../store/open-ledger.ts';
import type { ChangeBody, Service } from '../../store/webhook.ts';

/** What happens to a ledger, in words. */
export type Story = [
  what: string,
  happens: (open: OpenLedger, service: Service) => Promise<unknown>,
  is: string[],
];

/** Every break of a ledger as a person reads it; digests of a deposit and its credit are named. */
export function breakTexts(open: OpenLedger): string[] {
  const names = [
    ...open.deposits().map(({ deposit_id: id }, at) => [id, `dep_${at + 1}`] as const),
    ...open.feed().map(({ credit_id: id }, at) => [id, `crd_${at + 1}`] as const),
  ];
  const named = (text: string): string =>
    names.reduce((all, [id, name]) => all.replaceAll(id, name), text);
  return open.breaks().flatMap((row) => {
    const { severity, key, vault_id: vault, network, blockchain_hash: hash } = row;
    const about = [vault, network, hash, row.asset, row.transaction_id, row.deposit_id];
    const figures = row.expected === null ? '' : ` ${row.actual} for ${row.expected}`;
    return [
      named(
        `${severity} ${key} about ${about.filter((part) => part !== null).join(' ')}${figures}`,
      ),
      named(row.resolution === null ? row.detail : `healed: ${row.resolution}`),
    ];
  });
}

/** Balance changes that replace those of a notification. */
export const saying = (...balanceChanges: ChangeBody[]): object => ({ balanceChanges });

/** A deposit of 100 that is six deep, verified and credited. */
export async function credit(open: OpenLedger, service: Service): Promise<void> {
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
}
