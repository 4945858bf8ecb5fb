import { z } from '@hono/zod-openapi';
import { changeAnswer } from '../api/resources/creation.ts';
import { endpoint } from '../api/endpoint.ts';
import type { Endpoint } from '../api/endpoint.ts';
import { identifier, positiveAmount } from '../api/schema.ts';
import { refused } from '../api/answer.ts';
import type { DepositOutput } from '../world/on-chain.ts';
import { CONTROL_CALL } from './control-call.ts';
import type { ControlServices } from './control-services.ts';

const OUTPUTS_MAX = 1_000;

const output = {
  addressId: identifier.exactOptional(),
  networkAddress: identifier.exactOptional(),
  asset: identifier,
  amount: positiveAmount,
  memo: z.string().exactOptional(),
  claimedAmount: positiveAmount.exactOptional(),
};
const depositRequest = z.union([
  z.strictObject({
    network: identifier,
    outputs: z.array(z.strictObject(output)).min(1).max(OUTPUTS_MAX),
  }),
  z.strictObject({ network: identifier, ...output }),
]);

const common = { ...CONTROL_CALL, method: 'post' } as const;

/** The control calls that change the chains. They do not wait for deliveries. */
export function chainEndpoints({ world }: ControlServices): Endpoint[] {
  return [
    endpoint({
      ...common,
      path: '/sim/deposits',
      operation: 'simDeposit',
      summary: 'Someone outside pays custody',
      body: depositRequest,
      handle: ({ body }) => {
        let outputs: readonly DepositOutput[];
        if ('outputs' in body) outputs = body.outputs;
        else {
          const { network: _network, ...single } = body;
          outputs = [single];
        }
        if (
          outputs.some(
            (each) => (each.addressId === undefined) === (each.networkAddress === undefined),
          )
        ) {
          return refused('BR-1', 'Each output takes an addressId or a networkAddress, not both');
        }
        return changeAnswer(world.deposit({ network: body.network, outputs }));
      },
    }),
    endpoint({
      ...common,
      path: '/sim/blocks',
      operation: 'simMine',
      summary: 'Add blocks to a chain',
      body: z.strictObject({
        network: identifier,
        count: z.int().default(1),
      }),
      handle: ({ body }) => changeAnswer(world.mineBlocks(body.network, body.count)),
    }),
    endpoint({
      ...common,
      path: '/sim/reorgs',
      operation: 'simReorg',
      summary: 'Take the last blocks of a chain away',
      body: z.strictObject({
        network: identifier,
        depth: z.int(),
        drop: z.array(identifier).exactOptional(),
      }),
      handle: ({ body }) => changeAnswer(world.reorg(body)),
    }),
    endpoint({
      ...common,
      path: '/sim/external-debits',
      operation: 'simExternalDebit',
      summary: 'Funds leave an address without a platform transaction',
      body: z.strictObject({
        network: identifier,
        addressId: identifier,
        asset: identifier,
        amount: positiveAmount,
        destinationAddress: identifier,
      }),
      handle: ({ body }) => changeAnswer(world.externalDebit(body)),
    }),
  ];
}
