import type { Cause } from '../../domain/break/cause.ts';
import type { BreakType } from '../../domain/break/break.ts';
import type { BreakQuery } from '../../store/queries.ts';
import { linkTo } from '../../pages/parts/list/link.ts';
import { shortened } from '../../pages/parts/value/figure.ts';

/** `missing notification` */
export function typeText(type: BreakType): string {
  return type.replaceAll('_', ' ');
}

/** What breaks of a cause have in common: `missing notification in vault v1`. Ids are shortened. */
export function causeText({ type, vaultId, blockchainHash }: Cause): string {
  const parts = [
    type === null ? 'breaks' : typeText(type),
    ...(vaultId === null ? [] : [`in vault ${shortened(vaultId)}`]),
    ...(blockchainHash === null ? [] : [`of hash ${shortened(blockchainHash)}`]),
  ];
  return parts.join(' ');
}

/** The queue of the unresolved breaks of a cause, every box of its page ticked. */
export function causeLink({ type, vaultId, blockchainHash }: Cause): string {
  return linkTo('/console/breaks', {
    type: type ?? undefined,
    vault: vaultId ?? undefined,
    hash: blockchainHash ?? undefined,
    chosen: 'all',
  });
}

/** The unresolved breaks of a cause, the most urgent first. */
export function causeQuery({ type, vaultId, blockchainHash }: Cause): BreakQuery {
  return {
    state: 'unresolved',
    ...(type === null ? {} : { type }),
    ...(vaultId === null ? {} : { vaultId }),
    ...(blockchainHash === null ? {} : { blockchainHash }),
    sort: 'severity:desc',
  };
}
