import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { scopeName, SETTING_TITLES, type PolicyDifference, type Setting } from './policy-text.ts';
import { SettingValue } from './setting-value.tsx';

function titleOf(setting: string): string {
  if (setting === 'vaults') return 'Vaults credited';
  if (setting === 'startsAt') return 'Credited from';
  return Object.hasOwn(SETTING_TITLES, setting) ? SETTING_TITLES[setting as Setting] : setting;
}

/** What differs between two policies: the old value struck out, the new one beside it. */
export function DifferenceTable(shown: {
  /** What the table is about, for screen readers and for the ids of its rows. */
  name: string;
  differences: readonly PolicyDifference[];
  decimals: Decimals;
}): Markup {
  const { name, differences, decimals } = shown;
  if (differences.length === 0) return <EmptyState title="No setting differs." />;
  const columns: Column<PolicyDifference>[] = [
    { title: 'Rule', cell: ({ scope }) => scopeName(scope) },
    { title: 'Setting', cell: ({ setting }) => titleOf(setting) },
    {
      title: 'Before',
      cell: ({ before, setting, scope }) => (
        <del>
          <SettingValue value={before} {...{ setting, scope, decimals }} />
        </del>
      ),
    },
    {
      title: 'After',
      cell: ({ after, setting, scope }) => (
        <ins>
          <SettingValue value={after} {...{ setting, scope, decimals }} />
        </ins>
      ),
    },
  ];
  return (
    <DataTable
      caption={`Differences of ${name}`}
      items={differences}
      columns={columns}
      rowKey={({ scope, setting }) => `${name}-${scopeName(scope)}-${setting}`.replaceAll(' ', '-')}
    />
  );
}
