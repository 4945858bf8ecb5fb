import type { Break, BreakType } from '../../domain/break/break.ts';
import type { Cause } from '../../domain/break/cause.ts';
import { Identifier } from '../parts/identifier.tsx';
import type { Markup } from '../parts/markup.ts';

/** `missing notification` */
export function typeText(type: BreakType): string {
  return type.replaceAll('_', ' ');
}

/** What breaks of a cause have in common, in words: `missing notification in vault v1`. */
export function causeText({ type, vaultId, blockchainHash }: Cause): string {
  const parts = [
    type === null ? 'breaks' : typeText(type),
    ...(vaultId === null ? [] : [`in vault ${vaultId}`]),
    ...(blockchainHash === null ? [] : [`of hash ${blockchainHash}`]),
  ];
  return parts.join(' ');
}

/** What a break is about: its hash, transaction, deposit, vault or network, the narrowest. */
export function Subject({ subject }: Pick<Break, 'subject'>): Markup {
  const { blockchainHash, transactionId, depositId, vaultId, network } = subject;
  const value = blockchainHash ?? transactionId ?? depositId ?? vaultId ?? network;
  return value === null ? <span class="muted">a body</span> : <Identifier value={value} />;
}
