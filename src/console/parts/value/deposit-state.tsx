import type { DepositState } from '../../../domain/deposit/deposit.ts';
import { Badge } from '../../../pages/parts/badge.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';

/** A deposit's state, with a link where `href` is given, and the reason of a hold. */
export function StateBadge(shown: {
  deposit: { state: DepositState; reason: string | null };
  href?: string;
}): Markup {
  const { deposit, href } = shown;
  const { state, reason } = deposit;
  const badge = <Badge tone={state} text={state} />;
  return (
    <>
      {href === undefined ? badge : <a href={href}>{badge}</a>}
      {reason !== null && <span class="why">{reason.replaceAll('_', ' ')}</span>}
    </>
  );
}
