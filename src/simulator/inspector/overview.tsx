import type { Hono } from 'hono';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { Fact } from '../../pages/parts/fact.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import { textOf } from '../../pages/parts/form/form-text.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import type { ControlServices } from '../control/control-services.ts';
import { HOME } from './context.ts';
import type { InspectorContext, InspectorEnv } from './context.ts';
import { FaultTable } from './faults.tsx';
import { QueueTable } from './deliveries/queue-table.tsx';

/** The spans that one press advances a virtual clock by. */
const SPANS = [
  ['1 min', 60_000],
  ['10 min', 600_000],
  ['1 h', 3_600_000],
  ['1 d', 86_400_000],
  ['7 d', 604_800_000],
] as const;
const SECOND_MS = 1_000;

function AdvanceForms(): Markup {
  const action = `${HOME}/clock/advance`;
  return (
    <>
      <form class="filter" method="post" action={action}>
        {SPANS.map(([name, ms]) => (
          <button name="seconds" value={String(ms / SECOND_MS)}>
            {name}
          </button>
        ))}
      </form>
      <form class="filter" method="post" action={action}>
        <label class="field">
          <span>Seconds</span>
          <input name="seconds" inputmode="numeric" required autocomplete="off" />
        </label>
        <button>Advance</button>
      </form>
      <p class="foot">
        Time stands still between two calls. An advance does everything that becomes due: blocks,
        webhooks, retries, expiries.
      </p>
    </>
  );
}

function PauseForm({ isPaused }: { isPaused: boolean }): Markup {
  return (
    <>
      <form class="filter" method="post" action={`${HOME}/clock/${isPaused ? 'go-on' : 'pause'}`}>
        <button class="primary">{isPaused ? 'Go on' : 'Pause'}</button>
      </form>
      <p class="foot">
        {isPaused
          ? 'No block, no retry and no time limit comes until the clock goes on. What became due meanwhile then happens at once.'
          : 'A pause stops blocks, retries and time limits. Start the core with --clock virtual to advance the time.'}
      </p>
    </>
  );
}

function ClockCard({ services }: { services: ControlServices }): Markup {
  const { clock, realClock } = services;
  const isPaused = realClock?.isPaused ?? true;
  return (
    <Card id="clock" title="Clock" live="clock chains deliveries tick">
      <dl class="facts">
        <Fact name="Core time">
          <Moment at={clock.now()} />
        </Fact>
        <Fact name="Kind">{realClock === undefined ? 'virtual' : 'real'}</Fact>
        <Fact name="State">
          <Badge
            tone={isPaused ? 'warn' : 'good'}
            text={realClock === undefined ? 'stands still' : isPaused ? 'paused' : 'runs'}
          />
        </Fact>
      </dl>
      {realClock === undefined ? <AdvanceForms /> : <PauseForm isPaused={isPaused} />}
    </Card>
  );
}

function ChainsCard({ services }: { services: ControlServices }): Markup {
  return (
    <Card
      id="chains"
      title="Chains"
      live="chains tick"
      aside={<a href={`${HOME}/chains`}>All blocks</a>}
    >
      <DataTable
        caption="Chains"
        items={services.world.chains()}
        rowKey={({ network }) => network}
        href={({ network }) => `${HOME}/chains/${network}`}
        columns={[
          {
            title: 'Network',
            cell: ({ network }) => <a href={`${HOME}/chains/${network}`}>{network}</a>,
          },
          { title: 'Height', cell: ({ height }) => grouped(height), is: 'number' },
          {
            title: 'Waiting',
            cell: ({ mempool }) => grouped(mempool.length),
            is: 'number',
          },
        ]}
      />
    </Card>
  );
}

function Overview({ services }: { services: ControlServices }): Markup {
  const faults = services.faults.strikes();
  const behind = services.world
    .vaults()
    .map((vault) => ({ ...vault, ...services.delivery.backlog(vault.vaultId) }))
    .filter(({ size }) => size > 0);
  return (
    <>
      <ClockCard services={services} />
      <Card
        id="queues"
        title="Vaults whose webhooks wait"
        live="deliveries vaults tick"
        aside={<a href={`${HOME}/deliveries`}>All deliveries</a>}
      >
        {behind.length === 0 ? (
          <EmptyState title="No webhook waits." good />
        ) : (
          <QueueTable vaults={behind} now={services.clock.now()} back={HOME} />
        )}
      </Card>
      <Card
        id="faults"
        title="Faults that are on"
        live="faults tick"
        aside={<a href={`${HOME}/faults`}>All faults</a>}
      >
        {faults.length === 0 ? (
          <EmptyState title="No fault is on." good />
        ) : (
          <FaultTable faults={faults} back={HOME} />
        )}
      </Card>
      <ChainsCard services={services} />
    </>
  );
}

/** `/inspector`: the clock, what waits, the faults and the chains. */
export function mountOverview(
  app: Hono<InspectorEnv>,
  { services, show, perform }: InspectorContext,
): void {
  app.get(HOME, (pageRequest) =>
    show(pageRequest, { title: 'Overview', body: <Overview services={services} /> }),
  );
  app.post(`${HOME}/clock/advance`, async (pageRequest) => {
    const seconds = textOf(await pageRequest.req.parseBody(), 'seconds').trim();
    const advanceMs = /^\d{1,12}$/.test(seconds) ? Number(seconds) * SECOND_MS : seconds;
    return perform(pageRequest, {
      method: 'POST',
      path: '/sim/clock',
      body: { advanceMs },
      done: () => `The clock advanced by ${seconds} s.`,
      back: HOME,
    });
  });
  for (const [step, done] of [
    ['pause', 'The clock is paused.'],
    ['go-on', 'The clock goes on.'],
  ] as const) {
    app.post(`${HOME}/clock/${step}`, (pageRequest) =>
      perform(pageRequest, {
        method: 'POST',
        path: `/sim/clock/${step}`,
        done: () => done,
        back: HOME,
      }),
    );
  }
}
