import { z } from '@hono/zod-openapi';
import { notFound, ok } from '../api/answer.ts';
import { endpoint } from '../api/endpoint.ts';
import type { Endpoint } from '../api/endpoint.ts';
import type { OnChainTransaction, TruthTransaction } from '../world/on-chain.ts';
import { CONTROL_CALL } from './control-call.ts';
import type { ControlServices } from './control-services.ts';

const common = { ...CONTROL_CALL, method: 'get' } as const;

const count = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number);

const deliveriesQuery = z.strictObject({
  vaultId: z.string().optional(),
  notificationId: z.string().optional(),
  url: z.string().optional(),
  kind: z.enum(['queue', 'replay', 'duplicate', 'replay-late']).optional(),
  page: count.default(0),
  /** Default: every row on one page. */
  pageSize: count.optional(),
});

/** The control calls that read mails, delivery attempts and the true state of the chains. */
export function observationEndpoints(services: ControlServices): Endpoint[] {
  const { delivery, mailbox } = services;
  return [
    ...chainReads(services),
    endpoint({
      ...common,
      path: '/sim/mailbox',
      operation: 'simMailbox',
      summary: 'Mails with login codes',
      query: z.strictObject({ email: z.string().optional() }),
      handle: ({ query }) => ok({ data: mailbox.to(query.email) }),
    }),
    endpoint({
      ...common,
      path: '/sim/deliveries',
      operation: 'simDeliveries',
      summary: 'Every delivery attempt with body, url and result',
      query: deliveriesQuery,
      handle: ({ query }) => {
        const { page, pageSize, ...wanted } = query;
        const rows = [...delivery.attempts.list()].filter(
          (attempt) =>
            (wanted.vaultId ?? attempt.vaultId) === attempt.vaultId &&
            (wanted.notificationId ?? attempt.notificationId) === attempt.notificationId &&
            (wanted.url ?? attempt.url) === attempt.url &&
            (wanted.kind ?? attempt.kind) === attempt.kind,
        );
        const size = pageSize ?? rows.length;
        const data = rows.slice(page * size, (page + 1) * size);
        return ok({ data, pagination: { page, pageSize: size, total: rows.length } });
      },
    }),
  ];
}

/** JSON has no bigint: amounts are texts. */
function shownTransaction(row: OnChainTransaction | TruthTransaction): object {
  const movements = row.movements.map((one) => ({ ...one, amount: one.amount.toString() }));
  return { ...row, movements };
}

function chainReads({ world }: ControlServices): Endpoint[] {
  return [
    endpoint({
      ...common,
      path: '/sim/truth/balances',
      operation: 'simTruthBalances',
      summary: 'What every address really holds',
      handle: () =>
        ok({
          data: world.truthBalances().map((row) => ({ ...row, amount: row.amount.toString() })),
        }),
    }),
    endpoint({
      ...common,
      path: '/sim/truth/transactions',
      operation: 'simTruthTransactions',
      summary: 'Every on-chain transaction that touches custody',
      handle: () =>
        ok({
          data: world.truthTransactions().map(shownTransaction),
        }),
    }),
    endpoint({
      ...common,
      path: '/sim/chains/:network/blocks',
      operation: 'simBlocks',
      summary: 'The blocks of a chain that hold transactions, newest first',
      params: z.object({ network: z.string() }),
      handle: ({ params: { network } }) => {
        const tip = world.chains().find((chain) => chain.network === network);
        return tip === undefined
          ? notFound('Network', network)
          : ok({ ...tip, data: world.blocks(network) });
      },
    }),
    endpoint({
      ...common,
      path: '/sim/chains/transactions/:hash',
      operation: 'simOnChainTransaction',
      summary: 'A transaction as its chain has it',
      params: z.object({ hash: z.string() }),
      handle: ({ params: { hash } }) => {
        const row = world.onChain(hash);
        return row === undefined ? notFound('Hash', hash) : ok(shownTransaction(row));
      },
    }),
  ];
}
