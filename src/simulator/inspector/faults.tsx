import type { Hono } from 'hono';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import { textOf } from '../../pages/parts/form/form-text.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { API_FAULTS, DELIVERY_FAULTS, TRANSACTION_FAULTS } from '../control/fault.ts';
import type { EndedFault, FaultStrikes } from '../control/fault-switch.ts';
import type { ControlServices } from '../control/control-services.ts';
import { HOME } from './context.ts';
import type { InspectorContext, InspectorEnv } from './context.ts';
import { ownPage } from './own-page.ts';

const PATH = `${HOME}/faults`;

/** What each fault does, by its name. */
const EFFECTS: Readonly<Record<string, string>> = {
  'delivery.duplicate': 'sends a webhook twice',
  'delivery.drop-response': 'takes a 2xx for a failure, so the webhook comes again',
  'delivery.delay': 'delays a webhook',
  'delivery.replay-late': 'sends a delivered webhook once more, later',
  'api.error': 'answers with an error',
  'api.429': 'answers that the rate limit is exceeded',
  'api.hang': 'never answers',
  'api.reset': 'resets the connection',
  'api.truncate': 'sends half of the answer',
  'api.stale': 'answers a list with old rows',
  'api.omit-balance-changes': 'leaves out the amounts',
  'api.page-drift': 'moves rows between the pages of a list',
  'transactions.revert': 'lets a transaction fail on its chain',
  'transactions.processing': 'lets a transaction fail before its chain',
  'transactions.pause': 'pauses a transaction with a warning',
  'transactions.cancel': 'cancels a transaction',
};

/** The members that narrow a fault, as `vaultId 12…, count 2`. */
function narrowed({ fault: { fault: _name, ...members } }: EndedFault): string {
  return Object.entries(members)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}

/** `delivery.duplicate` */
function nameOf({ list, fault }: EndedFault): string {
  return `${list}.${fault.fault}`;
}

function strikesText({ strikes }: EndedFault): string {
  return strikes === 1 ? 'once' : `${grouped(strikes)} times`;
}

/** The faults that are on, each with its strikes and a button that switches it off. */
export function FaultTable(table: { faults: readonly FaultStrikes[]; back: string }): Markup {
  const { faults, back } = table;
  return (
    <DataTable
      caption="Faults that are on"
      items={faults}
      rowKey={({ list, index }) => `${list}-${index}`}
      columns={[
        { title: 'Fault', cell: (row) => <code>{nameOf(row)}</code> },
        { title: 'Does', cell: (row) => EFFECTS[nameOf(row)] ?? '', is: 'wide' },
        { title: 'Narrowed by', cell: (row) => narrowed(row) || 'nothing' },
        { title: 'Struck', cell: strikesText, is: 'number' },
        {
          title: 'Switch',
          cell: (row) => (
            <form method="post" action={`${PATH}/${row.list}/${row.index}/off`}>
              <input type="hidden" name="back" value={back} />
              <button aria-label={`Switch ${nameOf(row)} off`}>Off</button>
            </form>
          ),
        },
      ]}
    />
  );
}

/** Faults that were switched off, the newest first: what a test has already seen. */
function EndedCard({ ended }: { ended: readonly EndedFault[] }): Markup {
  const items = ended.map((fault, index) => ({ fault, index }));
  return (
    <Card id="ended-faults" title="Faults that ended since the core started" live="faults">
      {items.length === 0 ? (
        <EmptyState title="No fault has ended yet." />
      ) : (
        <DataTable
          caption="Ended faults, the newest first"
          items={items}
          rowKey={({ index }) => `ended-${index}`}
          columns={[
            { title: 'Fault', cell: ({ fault }) => <code>{nameOf(fault)}</code> },
            { title: 'Narrowed by', cell: ({ fault }) => narrowed(fault) || 'nothing' },
            { title: 'Struck', cell: ({ fault }) => strikesText(fault), is: 'number' },
          ]}
        />
      )}
    </Card>
  );
}

function NameChoice(): Markup {
  const lists = {
    delivery: DELIVERY_FAULTS,
    api: API_FAULTS,
    transactions: TRANSACTION_FAULTS,
  } as const;
  return (
    <label class="field">
      <span>Fault</span>
      <select name="name" required>
        {Object.entries(lists).map(([list, names]) => (
          <optgroup label={list}>
            {names.map((name) => (
              <option value={`${list}.${name}`}>
                {name}: {EFFECTS[`${list}.${name}`]}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

function SwitchOnForm({ services }: { services: ControlServices }): Markup {
  return (
    <form class="filter" method="post" action={PATH}>
      <NameChoice />
      <label class="field">
        <span>Times (empty: no end)</span>
        <input name="count" value="1" inputmode="numeric" autocomplete="off" />
      </label>
      <label class="field">
        <span>Probability (0 to 1)</span>
        <input name="probability" value="1" inputmode="decimal" autocomplete="off" />
      </label>
      <label class="field">
        <span>Vault (webhooks and transactions)</span>
        <select name="vaultId">
          <option value="">any</option>
          {services.world.vaults().map(({ vaultId, name }) => (
            <option value={vaultId}>{name}</option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Operation (API)</span>
        <input name="operation" placeholder="listTransactions" autocomplete="off" />
      </label>
      <button class="primary">Switch on</button>
    </form>
  );
}

function Faults({ services }: { services: ControlServices }): Markup {
  const faults = services.faults.strikes();
  return (
    <>
      <Card id="faults" title="Faults that are on" live="faults">
        {faults.length === 0 ? (
          <EmptyState title="No fault is on: the core behaves." good />
        ) : (
          <>
            <FaultTable faults={faults} back={PATH} />
            <form class="filter" method="post" action={`${PATH}/off`}>
              <button>Switch all off</button>
            </form>
          </>
        )}
      </Card>
      <Card id="switch-on" title="Switch a fault on">
        <SwitchOnForm services={services} />
        <p class="foot">
          A vault narrows faults of webhooks and transactions, an operation those of the API. More
          members, such as the delay, take <code>POST /sim/faults</code>.
        </p>
      </Card>
      <EndedCard ended={services.faults.ended()} />
    </>
  );
}

/** The members of a fault that a form set. Numbers that cannot be read stay text: the call refuses. */
function faultOf(field: (name: string) => string): { list: string; fault: object } {
  const [list = '', ...rest] = field('name').split('.');
  const numbers = ['count', 'probability'].flatMap((name): [string, number | string][] => {
    const text = field(name);
    if (text === '' || (name === 'probability' && text === '1')) return [];
    return [[name, /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text]];
  });
  const narrowing = list === 'api' ? 'operation' : 'vaultId';
  const chosen = field(narrowing);
  return {
    list,
    fault: {
      fault: rest.join('.'),
      ...Object.fromEntries(numbers),
      ...(chosen === '' ? {} : { [narrowing]: chosen }),
    },
  };
}

/** `/inspector/faults`: faults by name, how often each struck, switches. */
export function mountFaults(
  app: Hono<InspectorEnv>,
  { services, show, perform }: InspectorContext,
): void {
  app.get(PATH, (pageRequest) =>
    show(pageRequest, { title: 'Faults', body: <Faults services={services} /> }),
  );
  app.post(PATH, async (pageRequest) => {
    const fields = await pageRequest.req.parseBody();
    const { list, fault } = faultOf((name) => textOf(fields, name).trim());
    return perform(pageRequest, {
      method: 'POST',
      path: '/sim/faults',
      body: { [list]: [fault] },
      done: () => `${textOf(fields, 'name')} is on.`,
      back: PATH,
    });
  });
  app.post(`${PATH}/off`, (pageRequest) =>
    perform(pageRequest, {
      method: 'PUT',
      path: '/sim/faults',
      body: {},
      done: () => 'Every fault is off.',
      back: PATH,
    }),
  );
  app.post(`${PATH}/:list/:index/off`, async (pageRequest) => {
    const back = ownPage(textOf(await pageRequest.req.parseBody(), 'back'));
    const { list, index } = pageRequest.req.param();
    return perform(pageRequest, {
      method: 'DELETE',
      path: `/sim/faults/${encodeURIComponent(list)}/${encodeURIComponent(index)}`,
      done: () => 'The fault is off.',
      back,
    });
  });
}
