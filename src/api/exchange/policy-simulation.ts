import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { policyVersion } from '../../domain/policy/policy.ts';
import {
  SIMULATED_EFFECTS,
  simulatePolicy,
  type SimulatedDeposit,
  type SimulatedEffect,
} from '../../domain/deposit/simulation.ts';
import { needs, type ApiEnv } from '../access.ts';
import { isoTimeOrNull, jsonBody, timeText } from '../formats.ts';
import { noQuery } from '../paging.ts';
import { answers, BODY_PROBLEMS, notFound } from '../problem.ts';
import type { Services } from '../services.ts';
import { depositFields, depositView } from './deposits.ts';
import { checkedPolicy, policyToCheck } from './policy.ts';

/** Most deposits that one simulation evaluates: some 20 ms of reading. */
const DEPOSITS_MAX = 1_000;

const outcomeSchema = z.object({ state: depositFields.state, reason: depositFields.reason });

const effectSchema = z.enum(SIMULATED_EFFECTS).openapi({
  description:
    '`held`: only the proposed policy holds it; `freed`: only the policy in force does; `other`: another reason or state.',
});

const changedSchema = z
  .object({
    deposit: z.object(depositFields).openapi('Deposit'),
    effect: effectSchema,
    before: outcomeSchema.openapi({ description: 'By the policy in force.' }),
    after: outcomeSchema.openapi({ description: 'By the proposed policy.' }),
  })
  .openapi('SimulatedDeposit');

const simulationSchema = z
  .object({
    version: z.string().openapi({
      description: 'The policy in force, with which the proposed one is compared.',
      example: 'pol_12',
    }),
    evaluated: z.int().openapi({ description: 'How many deposits, the newest ones.' }),
    oldestFirstSeenAt: timeText
      .nullable()
      .openapi({ description: 'Of the evaluated deposits; null without any.' }),
    held: z.int(),
    heldByBoth: z.int().openapi({
      description: 'How many both policies hold, for the same or another reason.',
    }),
    freed: z.int(),
    other: z.int(),
    changed: z
      .array(changedSchema)
      .openapi({ description: 'Every evaluated deposit whose outcome differs, newest first.' }),
  })
  .openapi('PolicySimulation');

export type PolicySimulation = z.infer<typeof simulationSchema>;

const simulationBody = z
  .strictObject({
    policy: policyToCheck,
    deposits: z.int().min(1).max(DEPOSITS_MAX).default(DEPOSITS_MAX).openapi({
      description: 'How many of the newest deposits to evaluate.',
    }),
  })
  .openapi('PolicyProposal');

const simulate = createRoute({
  method: 'post',
  path: '/v1/policy/simulate',
  operationId: 'simulatePolicy',
  tags: ['Crediting policy'],
  summary: 'What a policy would do with the newest deposits; changes nothing',
  description:
    'Depths, approvals and holds count as they are now. A deposit that is credited already is evaluated as if it were not. `verifying`: the custody API must show the deposit first, again if its last match is older than an hour.',
  ...needs('read'),
  request: { query: noQuery, body: jsonBody(simulationBody) },
  responses: answers({ description: 'The simulation', schema: simulationSchema }, [
    'not-found',
    ...BODY_PROBLEMS,
  ]),
});

function countOf(changed: readonly SimulatedDeposit[], effect: SimulatedEffect): number {
  return changed.filter((one) => one.effect === effect).length;
}

/** `POST /v1/policy/simulate`: what a change would do before somebody makes it. */
export function mountPolicySimulation(
  app: OpenAPIHono<ApiEnv>,
  { reads, policy: tools, now }: Services,
): void {
  app.openapi(simulate, async (context) => {
    const { policy: json, deposits: pageSize } = context.req.valid('json');
    const proposed = checkedPolicy(tools, json);
    const held = await reads.policy();
    if (held === undefined) throw notFound('No crediting policy was set yet.');
    const { items } = await reads.findDeposits({}, { cursor: null, pageSize });
    const policies = { current: held.policy, proposed };
    const { changed, heldByBoth } = simulatePolicy(items, policies, now());
    const answer = {
      version: policyVersion(held),
      evaluated: items.length,
      oldestFirstSeenAt: isoTimeOrNull(items.at(-1)?.firstSeenAt ?? null),
      held: countOf(changed, 'held'),
      heldByBoth,
      freed: countOf(changed, 'freed'),
      other: countOf(changed, 'other'),
      changed: changed.map(({ deposit, ...one }) => ({ deposit: depositView(deposit), ...one })),
    };
    return context.json(answer, 200);
  });
}
