import { policyVersion } from '../../domain/policy/policy.ts';
import type { PolicyRow } from '../../store/records.ts';
import type { Reads } from '../../store/reads.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { FilterForm } from '../../pages/parts/form/filter-form.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { DifferenceTable } from './difference-table.tsx';
import { POLICY_PATH } from './halts-card.tsx';
import { sourceText } from './policy-page.tsx';
import { differencesOf, plainPolicy } from './policy-text.ts';

export const COMPARE_PATH = `${POLICY_PATH}/compare`;

/** Versions that are read to find two of them: a policy may have a thousand rules. */
const VERSIONS_READ_MAX = 1_000;
const PAGE_SIZE = 50;

/** Two versions of the policy; undefined where there is none of that name among the newest 1,000. */
export async function readVersions(
  reads: Pick<Reads, 'policyHistory'>,
  names: readonly [from: string, to: string],
): Promise<readonly [PolicyRow | undefined, PolicyRow | undefined]> {
  const found = new Map<string, PolicyRow>();
  for (let page = 0; page * PAGE_SIZE < VERSIONS_READ_MAX; page += 1) {
    const { items } = await reads.policyHistory({ page, pageSize: PAGE_SIZE });
    for (const one of items) {
      if (names.includes(policyVersion(one))) found.set(policyVersion(one), one);
    }
    if (items.length < PAGE_SIZE || names.every((name) => found.has(name))) break;
  }
  return [found.get(names[0]), found.get(names[1])];
}

/** The form that names two versions. */
export function CompareForm({ from, to }: { from: string; to: string }): Markup {
  return (
    <FilterForm
      action={COMPARE_PATH}
      fields={[
        { name: 'from', label: 'From version', value: from, placeholder: 'pol_1' },
        { name: 'to', label: 'To version', value: to, placeholder: 'pol_12' },
      ]}
    />
  );
}

function Version({ row }: { row: PolicyRow }): Markup {
  return (
    <p class="muted">
      {policyVersion(row)}: {sourceText(row)}, <Moment at={row.setAt} />: {row.reason}
    </p>
  );
}

/** What differs between any two versions of the policy. */
export function ComparePage(shown: { from: PolicyRow; to: PolicyRow; decimals: Decimals }): Markup {
  const { from, to, decimals } = shown;
  const [before, after] = [policyVersion(from), policyVersion(to)];
  return (
    <Card
      id="compare"
      title={`From ${before} to ${after}`}
      aside={<a href={`${POLICY_PATH}/history`}>History</a>}
    >
      <CompareForm from={before} to={after} />
      <Version row={from} />
      <Version row={to} />
      <DifferenceTable
        name={`${before}-${after}`}
        differences={differencesOf(plainPolicy(from.policy), plainPolicy(to.policy))}
        decimals={decimals}
      />
    </Card>
  );
}
