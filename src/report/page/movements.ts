import { html } from 'hono/html';
import type { MovementEntry } from '../../store/day-movement.ts';
import { NOT_ALL_MOVEMENTS, type SignedReport } from '../signed-report.ts';
import { scaled } from '../figure.ts';
import { listed, vaultMark, type Markup } from './markup.ts';

function named(id: string | null, name: string | null): string {
  if (id === null) return '';
  return name === null ? id : `${name} (${id})`;
}

/** An entry's source and position, as text. */
function entryText(entry: MovementEntry): string {
  const { entryId, seq, source, notificationId, accountId, addressId, memo } = entry;
  const origin = notificationId === null ? source : `webhook ${notificationId}`;
  const parts = [
    named(accountId, entry.accountName),
    named(addressId, entry.addressName),
    memo === null ? '' : `memo ${memo}`,
  ].filter((part) => part !== '');
  const where = parts.length === 0 ? '' : `, ${parts.join(', ')}`;
  return `entry ${entryId} (${origin}, journal ${seq})${where}`;
}

/** The movements behind the totals, hash by hash. */
export function movements(signed: SignedReport): Markup {
  const { report, movements: shown } = signed;
  const rows = shown.items.flatMap(({ amounts, ...one }) =>
    Object.entries(amounts).map(([figure, amount]) => ({
      ...one,
      figure,
      amount: amount.toString(),
    })),
  );
  const more = shown.isWhole ? '' : ` ${NOT_ALL_MOVEMENTS}.`;
  return listed(rows, {
    title: 'Movements behind the figures',
    none: 'Nothing moved in this day.',
    note: `Withdrawals and fees are negative here: they reduce the balance.${more}`,
    columns: [
      { title: 'Asset', cell: ({ asset }) => asset, is: 'id' },
      { title: 'Vault', cell: ({ vaultId }) => vaultMark(report, vaultId) },
      { title: 'Figure', cell: ({ figure }) => figure },
      { title: 'Hash', cell: ({ blockchainHash }) => blockchainHash, is: 'id' },
      {
        title: 'Amount',
        cell: ({ amount, decimals }) =>
          html`<span title="${amount}">${scaled(amount, decimals)}</span>`,
        is: 'number',
      },
      {
        title: 'Booked by',
        cell: ({ entries }) =>
          html`${[...new Set(entries.map(entryText))].map((text) => html`<div>${text}</div>`)}`,
      },
    ],
  });
}
