import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Decision } from '../../domain/fact/decision.ts';
import {
  DEPOSIT_STATES,
  HOLD_REASONS,
  partsOf,
  type Deposit,
} from '../../domain/deposit/deposit.ts';
import { versionText } from '../../domain/fact/basis.ts';
import { DepositId } from '../../domain/ids.ts';
import { needs, type ApiEnv } from '../access.ts';
import { basedReason, basisText, versionField } from '../basis.ts';
import { recordDecision, reasonText, statement } from './decision.ts';
import { filter, given, idParams, listAnswer, listOf, noQuery, pageQuery } from '../paging.ts';
import { answers, notFound, WRITE_PROBLEMS } from '../problem.ts';
import type { Reads } from '../../store/reads.ts';
import type { Services } from '../services.ts';
import { amountText, isoTime, isoTimeOrNull, jsonBody, timeText } from '../formats.ts';

const depositState = z.enum(DEPOSIT_STATES);

const holdReason = z.enum(HOLD_REASONS);

const approvalSchema = z
  .object({
    person: z.string().openapi({ description: 'The name of the token, or of the person.' }),
    reason: z.string(),
    approvedAt: timeText,
  })
  .openapi('Approval');

/**
 * The fields of a deposit in the credit feed. The reported address is none of them: a forged first
 * webhook can name a false one, and a consumer might credit by it.
 */
export const creditedFields = {
  depositId: z
    .string()
    .openapi({ description: 'The same after a rollback and a new credit of the deposit.' }),
  state: depositState.openapi({
    description:
      'Where the deposit is on its way; in items of the feed: when the item was appended.',
  }),
  reason: holdReason.nullable().openapi({ description: 'Why it is held; else null.' }),
  vaultId: z.string().openapi({ description: 'The custody service’s id of the vault.' }),
  accountId: z
    .string()
    .nullable()
    .openapi({ description: 'The custody service’s id of the account, where one was named.' }),
  addressId: z.string().nullable().openapi({
    description: 'The custody service’s id of the address; not the address on the chain.',
  }),
  networkAddress: z.string().nullable().openapi({
    description:
      'The address on the chain, from the custody API’s record that verified the deposit. Null when no record names one.',
  }),
  memo: z
    .string()
    .nullable()
    .openapi({ description: 'The memo of the payment on the chain, registered or not.' }),
  network: z.string().openapi({ example: 'ethereum' }),
  asset: z.string().openapi({
    description: 'The custody service’s id of the asset, of all networks.',
    example: 'ethereum:ETH',
  }),
  amount: amountText.openapi({
    description: 'The sum of its transfer entries, in smallest units.',
  }),
  blockchainHash: z.string().openapi({
    description: 'The transaction’s hash on the chain. One hash can pay several deposits.',
  }),
  transactionId: z
    .string()
    .nullable()
    .openapi({ description: 'The custody service’s id of the transaction.' }),
  confirmations: z.int().openapi({ description: 'The highest count from webhooks in this epoch.' }),
  requiredConfirmations: z.int().openapi({ description: 'The depth that the policy requires.' }),
  custodyConfirmations: z.int().openapi({ description: 'The depth in the custody API’s record.' }),
  epoch: z.int().openapi({ description: 'How many times its hash was rolled back.' }),
  verifiedAt: timeText
    .nullable()
    .openapi({ description: 'When the custody API’s record matched.' }),
  attributedTo: z.string().nullable().openapi({ description: 'The owner that a person named.' }),
  attributedBy: z
    .string()
    .nullable()
    .openapi({ description: 'The operator; another person must give the last approval.' }),
  operatorHold: z
    .string()
    .nullable()
    .openapi({ description: 'Who holds it, and why; null without such a hold.' }),
  approvals: z.array(approvalSchema).openapi({ description: 'Approvals of a large deposit.' }),
  creditId: z
    .string()
    .nullable()
    .openapi({ description: 'The credit in the feed that is not reversed, if any.' }),
  reference: z.string().nullable().openapi({
    description: 'The consumer’s reference, once acknowledged. Null in items of the feed.',
  }),
  firstSeenAt: timeText.openapi({ description: 'When its first report arrived.' }),
  updatedAt: timeText.openapi({ description: 'When the deposit last changed.' }),
};

/** The fields of a deposit in lists and on its own. */
export const depositFields = {
  ...creditedFields,
  reportedAddress: z.string().nullable().openapi({
    description:
      'The address on the chain that the first report named, while it is not `networkAddress`. Nothing verifies it: never credit by it.',
  }),
};

const creditedSchema = z.object(creditedFields);
const depositSchema = z.object(depositFields).openapi('Deposit');

/** A deposit as the credit feed shows it. */
export function creditedView(deposit: Deposit): z.infer<typeof creditedSchema> {
  return {
    depositId: deposit.depositId,
    state: deposit.state,
    reason: deposit.reason,
    vaultId: deposit.vaultId,
    accountId: deposit.accountId,
    addressId: deposit.addressId,
    networkAddress: deposit.networkAddress,
    memo: deposit.memo,
    network: deposit.network,
    asset: deposit.asset,
    amount: deposit.amount.toString(),
    blockchainHash: deposit.blockchainHash,
    transactionId: deposit.transactionId,
    confirmations: deposit.confirmations,
    requiredConfirmations: deposit.requiredConfirmations,
    custodyConfirmations: deposit.custodyConfirmations,
    epoch: deposit.epoch,
    verifiedAt: isoTimeOrNull(deposit.verifiedAt),
    attributedTo: deposit.attributedTo,
    attributedBy: deposit.attributedBy,
    operatorHold: deposit.operatorHold,
    approvals: deposit.approvals.map(({ person, reason, at }) => ({
      person,
      reason,
      approvedAt: isoTime(at),
    })),
    creditId: deposit.credit?.creditId ?? null,
    reference: deposit.credit?.reference ?? null,
    firstSeenAt: isoTime(deposit.firstSeenAt),
    updatedAt: isoTime(deposit.updatedAt),
  };
}

/** A deposit as the API shows it. */
export function depositView(deposit: Deposit): z.infer<typeof depositSchema> {
  return { ...creditedView(deposit), reportedAddress: deposit.reportedAddress };
}

const versionedSchema = depositSchema
  .extend({ version: versionField })
  .openapi('DepositWithVersion');

function versionedView(deposit: Deposit): z.infer<typeof versionedSchema> {
  return { ...depositView(deposit), version: versionText(partsOf(deposit)) };
}

/** A deposit by id. Throws the 404 problem for an unknown one. */
export async function depositOrProblem(reads: Reads, depositId: string): Promise<Deposit> {
  const deposit = await reads.deposit(depositId);
  if (deposit === undefined) {
    throw notFound(`There is no deposit ${depositId}: list them with GET /v1/deposits.`);
  }
  return deposit;
}

const tags = ['Deposits'];
/** The answer with one deposit. */
export const oneDeposit = { description: 'The deposit as it is now', schema: depositSchema };
const oneVersioned = { ...oneDeposit, schema: versionedSchema };

const listDeposits = createRoute({
  method: 'get',
  path: '/v1/deposits',
  operationId: 'listDeposits',
  tags,
  summary: 'Deposits, newest first',
  ...needs('read'),
  request: {
    query: z.strictObject({
      state: depositState.optional(),
      vaultId: filter(),
      blockchainHash: filter(),
      networkAddress: filter(),
      ...pageQuery,
    }),
  },
  responses: answers({ description: 'A page of deposits', schema: listOf(versionedSchema) }),
});

const getDeposit = createRoute({
  method: 'get',
  path: '/v1/deposits/{id}',
  operationId: 'getDeposit',
  tags,
  summary: 'One deposit',
  ...needs('read'),
  request: { params: idParams, query: noQuery },
  responses: answers(oneVersioned, ['not-found']),
});

const ATTRIBUTED_TO_CHARACTERS_MAX = 256;

const attributionBody = z
  .strictObject({
    attributedTo: statement(ATTRIBUTED_TO_CHARACTERS_MAX),
    reason: reasonText,
    basis: basisText,
  })
  .openapi('Attribution');

function depositAction<Name extends string, Body extends z.ZodType>(
  name: Name,
  about: { summary: string; body: Body },
) {
  return createRoute({
    method: 'post',
    path: `/v1/deposits/{id}/${name}` as const,
    operationId: `${name}Deposit`,
    tags,
    summary: about.summary,
    ...needs('decide-deposits'),
    request: {
      params: idParams,
      query: noQuery,
      body: jsonBody(about.body),
    },
    responses: answers(oneVersioned, WRITE_PROBLEMS),
  });
}

const approve = depositAction('approve', {
  summary: 'Approve the credit of a large deposit; bound to its epoch, never replaces verification',
  body: basedReason,
});
const hold = depositAction('hold', {
  summary: 'Hold a deposit: it is not credited',
  body: basedReason,
});
const release = depositAction('release', {
  summary: 'Release a deposit that a person holds, or whose decimals changed',
  body: basedReason,
});
const attribute = depositAction('attribute', {
  summary:
    'Name the owner of a deposit without a registered memo; may be corrected before the credit',
  body: attributionBody,
});

/** `GET /v1/deposits`, one deposit, and the decisions about it. */
export function mountDeposits(app: OpenAPIHono<ApiEnv>, services: Services): void {
  const { reads } = services;
  const decided = async (context: Context<ApiEnv>, id: string, decision: Decision) => {
    await recordDecision(services, context.get('caller'), decision);
    return versionedView(await depositOrProblem(reads, id));
  };
  app.openapi(listDeposits, async (context) => {
    const { page, pageSize, ...query } = context.req.valid('query');
    const found = await reads.deposits(given(query), { page, pageSize });
    return context.json(listAnswer(found, versionedView), 200);
  });
  app.openapi(getDeposit, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(versionedView(await depositOrProblem(reads, id)), 200);
  });
  for (const [route, kind] of [
    [approve, 'approve'],
    [hold, 'hold'],
    [release, 'release'],
  ] as const) {
    app.openapi(route, async (context) => {
      const { id } = context.req.valid('param');
      const decision = { kind, depositId: DepositId(id), ...given(context.req.valid('json')) };
      return context.json(await decided(context, id, decision), 200);
    });
  }
  app.openapi(attribute, async (context) => {
    const { id } = context.req.valid('param');
    const body = context.req.valid('json');
    const decision = {
      kind: 'attribute',
      depositId: DepositId(id),
      endsApprovals: true,
      ...given(body),
    } as const;
    return context.json(await decided(context, id, decision), 200);
  });
}
