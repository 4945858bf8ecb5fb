import { z } from 'zod';
import { balanceChange } from '../../../src/wire/balance-change.ts';
import type { BalanceChange } from '../../../src/wire/balance-change.ts';
import type { Notification } from '../../../src/wire/notification.ts';

export const entryList = z.array(balanceChange);

/** The notification's entries; an error when it carries none. */
export function changesOf(notification: Notification | undefined): BalanceChange[] {
  return entryList.parse(notification?.['balanceChanges']);
}

/** `amount SYMBOL tags…`, as `-705 BTC fee`. */
export function entryLine({ asset, amount, tags }: BalanceChange): string {
  return [amount, asset.slice(asset.indexOf(':') + 1), ...(tags ?? [])].join(' ');
}

/** `stream type [depth] [reason] [entries]`, as `outgoing mined [-60000000 BTC, -705 BTC fee]`. */
export function notificationLine(notification: Notification): string {
  const { stream, type } = notification;
  const depth = type === 'confirmation' ? [String(notification['confirmations'])] : [];
  const reason = 'reasonCode' in notification ? [String(notification['reasonCode'])] : [];
  const changes = Array.isArray(notification['balanceChanges'])
    ? [`[${changesOf(notification).map(entryLine).join(', ')}]`]
    : [];
  return [stream, type, ...depth, ...reason, ...changes].join(' ');
}
