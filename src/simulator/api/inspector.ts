import { html } from 'hono/html';
import { API_FAULTS, DELIVERY_FAULTS, faultSet, TRANSACTION_FAULTS } from '../control/fault.ts';
import type { FaultSet } from '../control/fault.ts';
import type { FaultSwitch } from '../control/fault-switch.ts';
import type { World } from '../world/world.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { respond } from './request/pipeline.ts';
import type { CoreApp, NodeContext } from './request/pipeline.ts';
import { crossSiteRefusal, foreignHostRefusal } from './request/cross-site.ts';

/** Rows shown of each table. The page is for looking, not for exports. */
const ROWS_MAX = 100;

/** The faults of each list of `PUT /sim/faults`. */
const FAULTS = {
  delivery: DELIVERY_FAULTS,
  api: API_FAULTS,
  transactions: TRANSACTION_FAULTS,
} as const satisfies Record<keyof FaultSet, readonly string[]>;

interface InspectorParts {
  readonly world: World;
  readonly delivery: Delivery;
  readonly faults: FaultSwitch;
  readonly now: () => number;
  /** Names of this core beside those of loopback. */
  readonly hostNames: readonly string[];
}

const STYLE = `
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5rem auto; max-width: 72rem; padding: 0 1rem; color: #1b1f24; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 1.6rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem 1.2rem .3rem 0; border-bottom: 1px solid #d8dee4; vertical-align: top; }
th { color: #57606a; font-weight: 600; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td code { white-space: nowrap; overflow-wrap: normal; }
.failing { color: #cf222e; font-weight: 600; }
code { font-size: .85em; overflow-wrap: anywhere; }
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: .4rem 0; }
label { display: flex; flex-direction: column; font-size: .8rem; color: #57606a; }
input, select, button { font: 14px/1.4 system-ui, sans-serif; height: 2.1rem; box-sizing: border-box; padding: 0 .5rem; border: 1px solid #8c959f; border-radius: 5px; background: #fff; color: #1b1f24; }
button { background: #f6f8fa; cursor: pointer; padding: 0 .9rem; }
form input.short { width: 5rem; } form input.long { width: 20rem; max-width: 100%; }
.message { padding: .4rem .8rem; border-left: 4px solid #0969da; background: #ddf4ff; }
`;

/** Adds a page at `/` for the operator of the core. It shows the world and can change it. */
export function mountInspector(app: CoreApp, parts: InspectorParts): void {
  app.get('/', (context) => {
    // Another site may link to the page, so only the host name is checked.
    const refusal = foreignHostRefusal(context.req.raw.headers, parts.hostNames);
    if (refusal !== undefined) return respond(context, refusal, parts.now());
    context.header(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'self'; frame-ancestors 'none'",
    );
    return context.html(page(parts, context.req.query('message')));
  });
  app.post('/inspector/:action', async (context) => {
    const refusal = crossSiteRefusal(context.req.raw.headers, parts.hostNames);
    if (refusal !== undefined) return respond(context, refusal, parts.now());
    const message = await act(context, parts);
    return context.redirect(`/?message=${encodeURIComponent(message)}`, 303);
  });
}

async function act(context: NodeContext, { world, faults }: InspectorParts): Promise<string> {
  const form = await context.req.parseBody();
  const field = (name: string): string => {
    const value = form[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const network = field('network');
  switch (context.req.param('action') ?? '') {
    case 'deposit': {
      if (!/^[0-9]{1,78}$/.test(field('amount'))) return 'The amount must be a whole number';
      const output = {
        addressId: field('addressId'),
        asset: field('asset'),
        amount: BigInt(field('amount')),
        ...(field('memo') === '' ? {} : { memo: field('memo') }),
      };
      const outcome = world.deposit({ network, outputs: [output] });
      return outcome.kind === 'refused'
        ? outcome.message
        : `Deposit ${outcome.record.blockchainHash} is in the mempool`;
    }
    case 'mine': {
      const outcome = world.mineBlocks(network, wholeNumber(field('count')));
      return outcome.kind === 'refused'
        ? outcome.message
        : `${network} is at height ${outcome.record.height}`;
    }
    case 'reorg': {
      const outcome = world.reorg({ network, depth: wholeNumber(field('depth')) });
      if (outcome.kind === 'refused') return outcome.message;
      const { height, returned } = outcome.record;
      return `${network} is back at height ${height}; ${returned.length} transactions wait again`;
    }
    case 'fault':
      return setFault(faults, { name: field('fault'), count: field('count') });
    case 'faultless':
      await faults.replace({});
      return 'No faults';
    default:
      return 'No such action';
  }
}

/** Makes `<set>.<fault>` the only fault. An empty `count` means no limit. */
async function setFault(
  faults: FaultSwitch,
  { name, count }: { name: string; count: string },
): Promise<string> {
  const [set = '', fault = ''] = name.split('.');
  const times = count === '' ? {} : { count: Number(count) };
  const read = faultSet.safeParse({ [set]: [{ fault, ...times }] });
  if (!read.success) return 'No such fault, or the number of times is not a whole number';
  await faults.replace(read.data);
  return `The only fault is now ${name}`;
}

function wholeNumber(text: string): number {
  return /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
}

function page({ world, delivery, faults, now }: InspectorParts, message: string | undefined) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Custody core</title>
        <link rel="icon" href="/docs/favicon-32x32.png" />
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <h1>Custody core</h1>
        <p>
          Core time ${new Date(now()).toISOString()} · <a href="/docs">API</a> ·
          <a href="/openapi.json">openapi.json</a> · <a href="/">refresh</a>
        </p>
        ${message === undefined ? '' : html`<p class="message" role="status">${message}</p>`}
        ${chainSection(world)} ${actionSection(world)} ${faultSection(faults)}
        ${vaultSection(world, delivery)} ${addressSection(world)}
      </body>
    </html>`;
}

function chainSection(world: World) {
  const rows = world.chains().map(
    (chain) =>
      html`<tr>
        <td>${chain.network}</td>
        <td class="n">${chain.height}</td>
        <td class="n">${chain.mempool.length}</td>
        <td>${chain.mempool.slice(0, 5).map((hash) => html`<code>${hash}</code><br />`)}</td>
      </tr>`,
  );
  return html`<h2>Chains</h2>
    <div class="scroll">
      <table>
        <tr>
          <th>network</th>
          <th class="n">height</th>
          <th class="n">mempool</th>
          <th>waiting</th>
        </tr>
        ${rows}
      </table>
    </div>`;
}

function actionSection(world: World) {
  const networks = world.networks();
  const choice = html`<label
    >network
    <select name="network">
      ${networks.map(({ key, name }) => html`<option value="${key}">${name}</option>`)}
    </select></label
  >`;
  return html`<h2>Push</h2>
    <datalist id="assets">
      ${networks.flatMap(({ assets }) => assets.map(({ asset }) => html`<option>${asset}</option>`))}
    </datalist>
    <datalist id="addresses">
      ${world
        .addresses()
        .slice(0, ROWS_MAX)
        .map(
          ({ addressId, network, name }) =>
            html`<option value="${addressId}">${network} ${name}</option>`,
        )}
    </datalist>
    <form method="post" action="/inspector/deposit">
      ${choice}
      <label>address id <input class="long" name="addressId" list="addresses" required /></label>
      <label>asset <input name="asset" list="assets" required /></label>
      <label>amount (smallest unit) <input name="amount" required inputmode="numeric" /></label>
      <label>memo <input name="memo" /></label>
      <button>Deposit</button>
    </form>
    <form method="post" action="/inspector/mine">
      ${choice}
      <label>blocks <input class="short" name="count" value="1" inputmode="numeric" /></label>
      <button>Mine</button>
    </form>
    <form method="post" action="/inspector/reorg">
      ${choice}
      <label>depth <input class="short" name="depth" value="1" inputmode="numeric" /></label>
      <button>Reorg</button>
    </form>`;
}

function faultSection(faults: FaultSwitch) {
  const choices = Object.entries(FAULTS).map(
    ([set, names]) =>
      html`<optgroup label="${set}">
        ${names.map((name) => html`<option value="${set}.${name}">${name}</option>`)}
      </optgroup>`,
  );
  return html`<h2>Faults</h2>
    <p><code>${JSON.stringify(faults.current())}</code></p>
    <form method="post" action="/inspector/fault">
      <label
        >fault
        <select name="fault">
          ${choices}
        </select></label
      >
      <label>times <input class="short" name="count" value="1" inputmode="numeric" /></label>
      <button>Fault</button>
      <button formaction="/inspector/faultless">Clear</button>
    </form>`;
}

function vaultSection(world: World, delivery: Delivery) {
  const vaults = world.vaults();
  const rows = vaults.slice(0, ROWS_MAX).map(({ vaultId, name }) => {
    const { size, consecutiveFailures, nextTryAt } = delivery.backlog(vaultId);
    const subscriptions = delivery.subscriptions.rows(vaultId);
    const [first] = subscriptions;
    return html`<tr>
      <td>${name}<br /><code>${vaultId}</code></td>
      <td>${subscriptions.map(({ stream }) => stream).join(', ')}</td>
      <td>${first === undefined ? '' : new URL(first.webhookUrl).host}</td>
      <td class="n">${size}</td>
      <td class="n ${consecutiveFailures > 0 ? 'failing' : ''}">${consecutiveFailures}</td>
      <td>${nextTryAt === null ? '' : new Date(nextTryAt).toISOString()}</td>
    </tr>`;
  });
  return html`<h2>Vaults and delivery queues (${vaults.length})</h2>
    <div class="scroll">
      <table>
        <tr>
          <th>vault</th>
          <th>streams</th>
          <th>receiver</th>
          <th class="n">queued</th>
          <th class="n">failures</th>
          <th>next try</th>
        </tr>
        ${rows}
      </table>
    </div>`;
}

function addressSection(world: World) {
  const addresses = world.addresses();
  const vaultNames = new Map(world.vaults().map(({ vaultId, name }) => [vaultId, name]));
  const rows = addresses.slice(0, ROWS_MAX).map(
    (address) =>
      html`<tr>
        <td>${vaultNames.get(address.vaultId)}</td>
        <td>${address.network}</td>
        <td>${address.name}</td>
        <td><code>${address.addressId}</code></td>
        <td><code>${address.networkAddress}</code></td>
      </tr>`,
  );
  return html`<h2>Addresses (${addresses.length})</h2>
    <div class="scroll">
      <table>
        <tr>
          <th>vault</th>
          <th>network</th>
          <th>name</th>
          <th>address id</th>
          <th>on-chain address</th>
        </tr>
        ${rows}
      </table>
    </div>`;
}
