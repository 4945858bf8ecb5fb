import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { EXEMPTIBLE_TYPES, type ExemptionRule } from '../../domain/break/exemption.ts';
import type { HeldExemption, HeldExemptions } from '../../domain/break/held-exemptions.ts';
import { needs, type ApiEnv } from '../access.ts';
import { reasonBody, recordDecision } from '../exchange/decision.ts';
import { amountText, isoTime, jsonBody, timeText } from '../formats.ts';
import { noQuery } from '../paging.ts';
import { answers, notFound, ProblemError, WRITE_PROBLEMS } from '../problem.ts';
import type { CheckExemption, Services } from '../services.ts';

const tags = ['Breaks'];
const RULE_CHARACTERS_MAX = 64;

const ruleFields = {
  rule: z.string().openapi({ description: 'Its name. Runs and breaks name the rule by it.' }),
  asset: z.string().optional(),
  vaultId: z.string().optional(),
  network: z.string().optional(),
  blockchainHash: z.string().optional(),
  breakType: z.enum(EXEMPTIBLE_TYPES).optional(),
  direction: z
    .enum(['<=', '>='])
    .optional()
    .openapi({ description: 'How actual − expected compares with `amount`.' }),
  amount: amountText.optional(),
};

const newRuleSchema = z
  .object({
    ...ruleFields,
    until: z.string().openapi({
      description: 'A day, whose last moment in UTC is included, or a time with its zone.',
      example: '2026-12-31',
    }),
    reason: z.string(),
    owner: z.string(),
  })
  .openapi('NewExemption', {
    description:
      'As a member of `reconcile.exemptions` of the configuration. An omitted member matches anything; give at least one of asset, vaultId, network, blockchainHash, breakType and amount.',
  });

const exemptionSchema = z
  .object({
    ...ruleFields,
    until: timeText.openapi({ description: 'The rule ends then.' }),
    reason: z.string(),
    owner: z.string(),
    source: z.enum(['config', 'api']).openapi({
      description: '`config`: of `reconcile.exemptions`. `api`: a person added it.',
    }),
    state: z.enum(['active', 'ended']),
    setBy: z.string().openapi({ description: '`config`, or the person who added it.' }),
    setAt: timeText.openapi({ description: 'For `config`: when these rules last changed.' }),
  })
  .openapi('Exemption');

type ExemptionView = z.infer<typeof exemptionSchema>;

function exemptionView(
  { until, amount, added, ...rule }: HeldExemption,
  { now, configuredAt }: { readonly now: number; readonly configuredAt: number },
): ExemptionView {
  return {
    ...rule,
    ...(amount === undefined ? {} : { amount: amount.toString() }),
    until: isoTime(until),
    source: added === undefined ? 'config' : 'api',
    state: now < until ? 'active' : 'ended',
    setBy: added?.by ?? 'config',
    setAt: isoTime(added?.at ?? configuredAt),
  };
}

function exemptionViews({ rules, configuredAt }: HeldExemptions, now: number): ExemptionView[] {
  return rules.map((rule) => exemptionView(rule, { now, configuredAt: configuredAt ?? 0 }));
}

const listSchema = z.object({ data: z.array(exemptionSchema) }).openapi('Exemptions');

const listExemptions = createRoute({
  method: 'get',
  path: '/v1/exemptions',
  operationId: 'listExemptions',
  tags,
  summary: 'Exemption rules in the order of application: the configuration’s, then those of people',
  ...needs('read'),
  request: { query: noQuery },
  responses: answers({ description: 'The rules', schema: listSchema }),
});

/** Accepted as any object: the configuration's own check reports its problems. */
const ruleToCheck = z.record(z.string(), z.unknown(), 'must be an object').openapi({
  type: undefined,
  additionalProperties: undefined,
  $ref: '#/components/schemas/NewExemption',
} as object);

const addExemption = createRoute({
  method: 'post',
  path: '/v1/exemptions',
  operationId: 'addExemption',
  tags,
  summary: 'Add an exemption rule; the next run closes the open breaks that it matches',
  ...needs('work-on-breaks'),
  request: { query: noQuery, body: jsonBody(ruleToCheck) },
  responses: answers({ description: 'The rule', schema: exemptionSchema }, WRITE_PROBLEMS),
});

const endExemption = createRoute({
  method: 'post',
  path: '/v1/exemptions/{rule}/end',
  operationId: 'endExemption',
  tags,
  summary: 'End a rule that a person added; the next run opens breaks for what still differs',
  ...needs('work-on-breaks'),
  request: {
    params: z.strictObject({ rule: z.string().min(1).max(RULE_CHARACTERS_MAX) }),
    query: noQuery,
    body: jsonBody(reasonBody),
  },
  responses: answers({ description: 'The remaining rules', schema: listSchema }, WRITE_PROBLEMS),
});

function checkedRule(check: CheckExemption, json: unknown): ExemptionRule {
  const checked = check(json);
  if (checked.kind === 'ok') return checked.rule;
  const detail = `body: ${checked.problems.join('; ')}. See /docs for what it may hold.`;
  throw new ProblemError({ kind: 'invalid-request', detail });
}

/** `/v1/exemptions`: the exemption rules, and those that people add and end. */
export function mountExemptions(app: OpenAPIHono<ApiEnv>, services: Services): void {
  const { reads, checkExemption, now } = services;
  const listed = async (): Promise<ExemptionView[]> =>
    exemptionViews(await reads.exemptions(), now());
  app.openAPIRegistry.register('NewExemption', newRuleSchema);
  app.openapi(listExemptions, async (context) => context.json({ data: await listed() }, 200));
  app.openapi(addExemption, async (context) => {
    const rule = checkedRule(checkExemption, context.req.valid('json'));
    await recordDecision(services, context.get('caller'), { kind: 'exempt', rule });
    const added = (await listed()).find((one) => one.rule === rule.rule);
    if (added === undefined) {
      throw notFound(`The rule ${JSON.stringify(rule.rule)} was ended: see GET /v1/exemptions.`);
    }
    return context.json(added, 200);
  });
  app.openapi(endExemption, async (context) => {
    const { rule } = context.req.valid('param');
    const { reason } = context.req.valid('json');
    const decision = { kind: 'end-exemption', rule, reason } as const;
    await recordDecision(services, context.get('caller'), decision);
    return context.json({ data: await listed() }, 200);
  });
}
