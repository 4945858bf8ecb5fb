import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { EXEMPTIBLE_TYPES, type ExemptionRule } from '../../domain/break/exemption.ts';
import {
  exemptionParts,
  type HeldExemption,
  type HeldExemptions,
} from '../../domain/break/held-exemptions.ts';
import { versionText } from '../../domain/fact/basis.ts';
import { BreakId } from '../../domain/ids.ts';
import { needs, type ApiEnv } from '../access.ts';
import { basedReason, basisText, versionField } from '../basis.ts';
import { recordDecision } from '../exchange/decision.ts';
import { amountText, isoTime, jsonBody, nameText, timeText } from '../formats.ts';
import { given, noQuery } from '../paging.ts';
import { answers, notFound, ProblemError, WRITE_PROBLEMS } from '../problem.ts';
import type { CheckExemption, Services } from '../services.ts';

const tags = ['Breaks'];
const RULE_CHARACTERS_MAX = 64;
const BREAK_ID_CHARACTERS_MAX = 256;

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

/** The break that a person filled the rule from, and what they read of it. */
const filledFromFields = {
  breakId: nameText(BREAK_ID_CHARACTERS_MAX)
    .optional()
    .openapi({ description: 'The break that the rule was filled from; `basis` is its version.' }),
  basis: basisText,
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
    ...filledFromFields,
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
    version: versionField,
  })
  .openapi('Exemption');

type ExemptionView = z.infer<typeof exemptionSchema>;

function exemptionView(
  held: HeldExemption,
  { now, configuredAt }: { readonly now: number; readonly configuredAt: number },
): ExemptionView {
  const { until, amount, added, ...rule } = held;
  return {
    ...rule,
    ...(amount === undefined ? {} : { amount: amount.toString() }),
    until: isoTime(until),
    source: added === undefined ? 'config' : 'api',
    state: now < until ? 'active' : 'ended',
    setBy: added?.by ?? 'config',
    setAt: isoTime(added?.at ?? configuredAt),
    version: versionText(exemptionParts(held)),
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

/** Accepted as any object: the configuration's own check reports the problems of the rule. */
const ruleToCheck = z.looseObject(filledFromFields, 'must be an object').openapi({
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
    params: z.strictObject({ rule: nameText(RULE_CHARACTERS_MAX) }),
    query: noQuery,
    body: jsonBody(basedReason),
  },
  responses: answers({ description: 'The remaining rules', schema: listSchema }, WRITE_PROBLEMS),
});

function checkedRule(check: CheckExemption, json: unknown): ExemptionRule {
  const checked = check(json);
  if (checked.kind === 'ok') return checked.rule;
  const detail = `body: ${checked.problems.join('; ')}. See /docs for what this call takes.`;
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
    const { breakId, basis, ...json } = context.req.valid('json');
    if (basis !== undefined && breakId === undefined) {
      const detail = 'body: basis needs breakId, the break whose version it is.';
      throw new ProblemError({ kind: 'invalid-request', detail });
    }
    const rule = checkedRule(checkExemption, json);
    const filledFrom = breakId === undefined ? undefined : BreakId(breakId);
    const decision = { kind: 'exempt', rule, ...given({ filledFrom, basis }) } as const;
    await recordDecision(services, context.get('caller'), decision);
    const added = (await listed()).find((one) => one.rule === rule.rule);
    if (added === undefined) {
      throw notFound(`The rule ${JSON.stringify(rule.rule)} was ended: see GET /v1/exemptions.`);
    }
    return context.json(added, 200);
  });
  app.openapi(endExemption, async (context) => {
    const { rule } = context.req.valid('param');
    const decision = { kind: 'end-exemption', rule, ...given(context.req.valid('json')) } as const;
    await recordDecision(services, context.get('caller'), decision);
    return context.json({ data: await listed() }, 200);
  });
}
