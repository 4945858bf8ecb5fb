import { z } from '@hono/zod-openapi';
import { notFound, ok, refused } from '../api/answer.ts';
import { endpoint } from '../api/endpoint.ts';
import type { Endpoint } from '../api/endpoint.ts';
import { changeAnswer } from '../api/resources/creation.ts';
import { identifier } from '../api/schema.ts';
import { signaturesBy } from '../signing/extended-key.ts';
import { CONTROL_CALL } from './control-call.ts';
import type { ControlServices } from './control-services.ts';

const common = {
  ...CONTROL_CALL,
  params: z.object({ transactionId: z.string() }),
} as const;

/** The control calls that look at a transaction and move it on, as its people and signers would. */
export function transactionEndpoints({ world }: ControlServices): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'get',
      path: '/sim/transactions/:transactionId',
      operation: 'simTransaction',
      summary: 'A transaction with its events',
      handle: ({ params: { transactionId } }) => {
        const row = world.transaction(transactionId);
        return row === undefined
          ? notFound('Transaction', transactionId)
          : ok({ ...row, events: world.events(transactionId) });
      },
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/sim/transactions/:transactionId/decisions',
      operation: 'simDecide',
      summary: 'Approve or reject as an approver',
      body: z.strictObject({ clientId: identifier, decision: z.enum(['approve', 'reject']) }),
      handle: ({ params: { transactionId }, body: { clientId, decision } }) => {
        const given = { transactionId, clientId };
        return changeAnswer(decision === 'approve' ? world.approve(given) : world.reject(given));
      },
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/sim/transactions/:transactionId/signatures',
      operation: 'simSign',
      summary: "Sign with the vault's private key, which only the operator has",
      body: z.strictObject({ xprv: z.string() }),
      handle: ({ params: { transactionId }, body: { xprv } }) => {
        const row = world.transaction(transactionId);
        if (row === undefined) return notFound('Transaction', transactionId);
        const signatures = signaturesBy(xprv, row.signingPayloads ?? []);
        if (signatures === undefined) {
          return refused(
            'BR-1',
            'xprv is not an extended private key: POST /sim/vaults answered it',
          );
        }
        return changeAnswer(world.submitSignatures({ transactionId, signatures }));
      },
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/sim/transactions/:transactionId/cancel',
      operation: 'simCancel',
      summary: 'Decline a transaction that is not submitted yet',
      handle: ({ params: { transactionId } }) => changeAnswer(world.cancel(transactionId)),
    }),
  ];
}
