import { z } from '@hono/zod-openapi';
import { approval } from '../../../wire/notification.ts';
import { notFound } from '../answer.ts';
import { changeAnswer } from './creation.ts';
import { endpoint } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import { listAnswer, listQuerySchema } from '../list.ts';
import type { ListDefinition } from '../list.ts';
import { listOf, named, textOf } from '../schema.ts';
import type { Services } from '../services.ts';
import { transactionSchema } from './transactions.ts';

const params = z.object({ id: z.string() });
const SIGNATURES_MAX = 1000;
/** Hex with or without the `0x` that EVM signers write. */
const hex = z
  .string()
  .regex(/^(?:0x)?[0-9a-fA-F]{2,256}$/, 'must be hex')
  .transform((text) => text.replace(/^0x/, ''))
  .openapi({ type: 'string' });

const approvalList: ListDefinition<z.output<typeof approval>> = {
  sorts: { timestamp: (row) => textOf(row.timestamp) },
  filters: { clientId: (row) => row.clientId, decision: (row) => row.decision },
};

const eventList: ListDefinition<{ type: string; timestamp: string }> = {
  sorts: { timestamp: (row) => row.timestamp },
  filters: { type: (row) => row.type },
};

const eventSchema = z
  .looseObject({
    id: z.string(),
    transactionId: z.string(),
    type: z.string(),
    timestamp: z.string(),
    blockchainHash: z.string().optional(),
    reasonCode: z.string().optional(),
    reasonDetails: z.unknown().optional(),
  })
  .openapi('TransactionEvent');

const decisionRequest = z
  .object({ decision: z.enum(['approve', 'reject']) })
  .openapi('ApprovalRequest');

const signaturesRequest = z
  .object({
    signatures: z
      .array(z.object({ payload: hex, signature: hex, publicKey: hex }))
      .min(1)
      .max(SIGNATURES_MAX),
  })
  .openapi('SignaturesRequest');

/**
 * The endpoints for approvals, signatures, events and the master approval payload of a transaction
 * (the specification, section "Outgoing transaction progress").
 */
export function approvalEndpoints(services: Services): Endpoint[] {
  return [...decisionEndpoints(services), ...signingEndpoints(services)];
}

function decisionEndpoints({ world }: Services): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/transactions/{id}/approvals',
      operation: 'decideTransaction',
      summary: 'Approve or reject as the calling client',
      tag: 'Transactions',
      credentials: 'api',
      params,
      body: decisionRequest,
      answer: transactionSchema,
      handle: ({ params: { id }, body, client }) => {
        const decision = { transactionId: id, clientId: client.clientId };
        return changeAnswer(
          body.decision === 'approve' ? world.approve(decision) : world.reject(decision),
        );
      },
    }),
    endpoint({
      method: 'get',
      path: '/transactions/{id}/approvals',
      operation: 'listApprovals',
      summary: 'List the approvals of a transaction',
      tag: 'Transactions',
      credentials: 'api',
      params,
      query: listQuerySchema(approvalList),
      answer: listOf(named('Approval', approval)),
      handle: ({ params: { id }, query, view }) => {
        const row = world.transaction(id);
        if (row === undefined) return notFound('Transaction', id);
        const rows = row.approvals ?? [];
        return listAnswer({ rows, query, definition: approvalList, view });
      },
    }),
    endpoint({
      method: 'get',
      path: '/transactions/{id}/events',
      operation: 'listTransactionEvents',
      summary: 'List the events of a transaction, with reasonDetails',
      tag: 'Transactions',
      credentials: 'api',
      params,
      query: listQuerySchema(eventList),
      answer: listOf(eventSchema),
      handle: ({ params: { id }, query, view }) => {
        const rows = world.events(id);
        if (rows === undefined) return notFound('Transaction', id);
        const present = (row: object): object => row;
        return listAnswer({ rows, query, definition: eventList, view, present });
      },
    }),
  ];
}

function signingEndpoints({ world }: Services): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/transactions/{id}/signatures',
      operation: 'submitSignatures',
      summary: 'Submit the signatures of an external signer',
      tag: 'Transactions',
      credentials: 'api',
      params,
      body: signaturesRequest,
      answer: transactionSchema,
      handle: ({ params: { id }, body }) =>
        changeAnswer(world.submitSignatures({ transactionId: id, signatures: body.signatures })),
    }),
    endpoint({
      method: 'get',
      path: '/transactions/{id}/master-approval-payload',
      operation: 'getMasterApprovalPayload',
      summary: 'The final signing bundle of a master-approval vault',
      tag: 'Transactions',
      credentials: 'api',
      params,
      answer: z.looseObject({}).openapi('MasterApprovalPayload'),
      handle: ({ params: { id } }) => changeAnswer(world.masterApprovalPayload(id)),
    }),
  ];
}
