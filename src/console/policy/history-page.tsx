import { policyVersion } from '../../domain/policy/policy.ts';
import type { PolicyChange } from '../../store/answers.ts';
import type { Page } from '../../store/page.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { PageLinks } from '../../pages/parts/list/pager.tsx';
import { CompareForm } from './compare-page.tsx';
import { DifferenceTable } from './difference-table.tsx';
import { POLICY_PATH } from './halts-card.tsx';
import { sourceText } from './policy-page.tsx';
import { differencesOf, plainPolicy, policyTextOf } from './policy-text.ts';

/** Before the first policy. */
const NOTHING = policyTextOf({});

function ChangeSection({ change, decimals }: { change: PolicyChange; decimals: Decimals }): Markup {
  const before = change.before === null ? NOTHING : plainPolicy(change.before);
  const after = plainPolicy(change.policy);
  const name = policyVersion(change);
  return (
    <section class="version" id={name}>
      <h3>{name}</h3>
      <p class="muted">
        {sourceText(change)}, <Moment at={change.setAt} />: {change.reason}
      </p>
      <DifferenceTable name={name} differences={differencesOf(before, after)} decimals={decimals} />
    </section>
  );
}

/** Every change of the policy, with what it changed. */
export function HistoryPage(shown: { found: Page<PolicyChange>; decimals: Decimals }): Markup {
  const { found, decimals } = shown;
  return (
    <Card
      id="history"
      title="Changes, newest first"
      live="policy"
      aside={<a href={POLICY_PATH}>Current policy</a>}
    >
      {found.total >= 2 && <CompareForm from="" to="" />}
      {found.total === 0 ? (
        <EmptyState title="No crediting policy was set yet." />
      ) : (
        found.items.map((change) => <ChangeSection change={change} decimals={decimals} />)
      )}
      <PageLinks found={found} href={(page) => linkTo(`${POLICY_PATH}/history`, { page })} />
    </Card>
  );
}
