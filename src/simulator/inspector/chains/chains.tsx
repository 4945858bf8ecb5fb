import type { Hono } from 'hono';
import { Card } from '../../../pages/parts/card.tsx';
import { DataTable } from '../../../pages/parts/list/data-table.tsx';
import { grouped } from '../../../pages/parts/value/figure.ts';
import { textOf, textsOf } from '../../../pages/parts/form/form-text.ts';
import { pageOf } from '../../../pages/parts/list/link.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import type { ControlServices } from '../../control/control-services.ts';
import { ChainPage } from './chain-page.tsx';
import { HOME } from '../context.ts';
import type { InspectorContext, InspectorEnv } from '../context.ts';
import { HashPage } from './hash-page.tsx';

const PATH = `${HOME}/chains`;

function Chains({ services }: { services: ControlServices }): Markup {
  const networks = new Map(services.world.networks().map((network) => [network.key, network]));
  return (
    <Card id="chains" title="Blockchains" live="chains tick">
      <DataTable
        caption="Blockchains"
        items={services.world.chains()}
        rowKey={({ network }) => network}
        href={({ network }) => `${PATH}/${network}`}
        columns={[
          {
            title: 'Network',
            cell: ({ network }) => (
              <a href={`${PATH}/${network}`}>{networks.get(network)?.name ?? network}</a>
            ),
          },
          { title: 'Height', cell: ({ height }) => grouped(height), is: 'number' },
          {
            title: 'Waiting',
            cell: ({ mempool }) => grouped(mempool.length),
            is: 'number',
          },
          {
            title: 'Block time',
            cell: ({ network }) => `${networks.get(network)?.blockTimeSeconds ?? 0} s`,
            is: 'number',
          },
          {
            title: 'Published depths',
            cell: ({ network }) => networks.get(network)?.confirmations.join(', ') ?? '',
            is: 'wide',
          },
        ]}
      />
    </Card>
  );
}

/** A field as a number; other text stays text, and the control call says what is wrong with it. */
function wholeNumber(text: string): number | string {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : text;
}

/** `/inspector/chains`: blocks and transactions of each chain, new blocks and reorgs. */
export function mountChains(
  app: Hono<InspectorEnv>,
  { services, decimals, show, missing, perform }: InspectorContext,
): void {
  app.get(PATH, (pageRequest) =>
    show(pageRequest, { title: 'Chains', body: <Chains services={services} /> }),
  );
  app.get(`${PATH}/hashes/:hash`, (pageRequest) => {
    const row = services.world.onChain(pageRequest.req.param('hash'));
    if (row === undefined) return missing(pageRequest, 'No chain has this hash.');
    const body = <HashPage row={row} services={services} decimals={decimals} />;
    return show(pageRequest, { title: `${row.network} transaction`, body });
  });
  app.get(`${PATH}/:network`, (pageRequest) => {
    const key = pageRequest.req.param('network');
    const tip = services.world.chains().find(({ network }) => network === key);
    if (tip === undefined) return missing(pageRequest, `The core has no network ${key}.`);
    const page = pageOf(pageRequest.req.query('page'));
    const body = <ChainPage tip={tip} blocks={services.world.blocks(key)} page={page} />;
    return show(pageRequest, { title: key, body });
  });
  app.post(`${PATH}/:network/mine`, async (pageRequest) => {
    const network = pageRequest.req.param('network');
    const count = wholeNumber(textOf(await pageRequest.req.parseBody(), 'count'));
    return perform(pageRequest, {
      method: 'POST',
      path: '/sim/blocks',
      body: { network, count },
      done: ({ height }) => `${network} is at height ${String(height)}.`,
      back: `${PATH}/${encodeURIComponent(network)}`,
    });
  });
  app.post(`${PATH}/:network/reorg`, async (pageRequest) => {
    const network = pageRequest.req.param('network');
    const fields = await pageRequest.req.parseBody({ all: true });
    const drop = textsOf(fields, 'drop').flatMap((hash) => hash.trim() || []);
    const depth = wholeNumber(textOf(fields, 'depth'));
    return perform(pageRequest, {
      method: 'POST',
      path: '/sim/reorgs',
      body: { network, depth, drop },
      done: ({ height, returned, dropped }) => {
        const count = (list: unknown): string => String(Array.isArray(list) ? list.length : 0);
        return `${network} is back at height ${String(height)}. Transactions that wait again: ${count(returned)}; dropped: ${count(dropped)}.`;
      },
      back: `${PATH}/${encodeURIComponent(network)}`,
    });
  });
}
