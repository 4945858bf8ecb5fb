import type { Hono } from 'hono';
import type { SettingsAnswer } from '../../api/services.ts';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { Badge, type Tone } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import type { Markup } from '../../pages/parts/markup.ts';

const PATH = '/console/settings';
const GET_SETTINGS = { method: 'GET', path: '/v1/settings' } as const;

type Setting = SettingsAnswer['settings'][number];
type Check = SettingsAnswer['checks'][number];

const TONES: Readonly<Record<Check['status'], Tone>> = {
  ok: 'good',
  warning: 'warn',
  problem: 'alarm',
};

/** Problems first. */
const ORDER: readonly Check['status'][] = ['problem', 'warning', 'ok'];

const CHECK_COLUMNS: Column<Check>[] = [
  { title: 'Finding', cell: ({ status }) => <Badge tone={TONES[status]} text={status} /> },
  { title: 'Check', cell: ({ check }) => check },
  { title: 'Detail', cell: ({ detail }) => detail },
];

const SETTING_COLUMNS: Column<Setting>[] = [
  { title: 'Setting', cell: ({ key }) => <span class="id setting">{key}</span> },
  { title: 'Value', cell: ({ value }) => <span class="id setting">{value}</span> },
];

/** The checks and the settings in force. */
function SettingsPage({ settings, checks }: SettingsAnswer): Markup {
  const sorted = checks
    .map((one, index) => ({ ...one, index }))
    .toSorted((left, right) => ORDER.indexOf(left.status) - ORDER.indexOf(right.status));
  return (
    <>
      <Card id="checks" title="Checks of the running daemon">
        <DataTable
          caption="Checks, problems first"
          items={sorted}
          columns={CHECK_COLUMNS}
          rowKey={({ index }) => `check-${index}`}
        />
        <p class="foot">
          <code>counterfoil doctor --config FILE</code> also checks secret files, vaults and
          subscriptions. <code>counterfoil doctor --proxy URL</code> checks a proxy from outside.
        </p>
      </Card>
      <Card id="settings" title="Settings in force">
        <DataTable
          caption="Settings in force, by key"
          items={settings}
          columns={SETTING_COLUMNS}
          rowKey={({ key }) => `setting-${key}`}
        />
        <p class="foot">
          From the configuration at the last start, defaults included. Secrets are not shown. The
          crediting policy is under <a href="/console/policy">Policy</a>.
        </p>
      </Card>
    </>
  );
}

/** `/console/settings`: what the daemon runs with, and what its checks find. */
export function mountSettings(app: Hono<ConsoleEnv>, { show, denied, act }: ConsoleContext): void {
  app.get(PATH, async (pageRequest) => {
    const result = await act(pageRequest, GET_SETTINGS);
    if (result.kind === 'refused') return denied(pageRequest, GET_SETTINGS);
    const body = <SettingsPage {...(result.body as SettingsAnswer)} />;
    return show(pageRequest, { title: 'Settings', body });
  });
}
