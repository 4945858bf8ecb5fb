import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  policyVersion,
  type CreditingPolicy,
  type PolicyRule,
} from '../../domain/policy/policy.ts';
import type { Decision } from '../../domain/fact/decision.ts';
import { haltsIn, scopeText, type HaltScope } from '../../domain/policy/halt.ts';
import { AssetId, NetworkKey } from '../../domain/ids.ts';
import type { PolicyRow } from '../../store/records.ts';
import type { PolicyChange } from '../../store/answers.ts';
import { needs, type ApiEnv } from '../access.ts';
import { basisText } from '../basis.ts';
import { recordDecision, reasonText } from './decision.ts';
import { filter, given, listAnswer, listOf, noQuery, pageQuery } from '../paging.ts';
import { answers, notFound, ProblemError, WRITE_PROBLEMS } from '../problem.ts';
import type { PolicyServices, Services } from '../services.ts';
import { isoTime, jsonBody, timeText } from '../formats.ts';

const tags = ['Crediting policy'];

const policyAmount = z
  .string()
  .openapi({ pattern: '^[0-9]{1,78}$', example: '1000000000000000000' });

const ruleFields = {
  confirmations: z.int().min(0).optional(),
  minimumAmount: policyAmount.optional(),
  oneApprovalAbove: policyAmount.nullable().optional(),
  twoApprovalsAbove: policyAmount.nullable().optional(),
  requireMemo: z.boolean().optional(),
  halted: z.boolean().optional(),
  creditInternal: z.boolean().optional(),
};

const ruleSchema = z.object(ruleFields).openapi('CreditingRule', {
  description: 'Omitted keys come from the network, then from the default.',
});

const policySchema = z
  .object({
    vaults: z
      .array(z.string())
      .min(1)
      .optional()
      .openapi({ description: 'Vaults whose deposits are credited; absent: every vault.' }),
    startsAt: timeText.nullable().optional().openapi({
      description:
        'Transactions that the custody service created earlier are booked and held; absent: all are credited. `null` in a replacement removes it.',
    }),
    default: z.object({ ...ruleFields, confirmations: z.int().min(0) }),
    networks: z.record(z.string(), ruleSchema).optional(),
    assets: z.record(z.string(), ruleSchema).optional(),
  })
  .openapi('CreditingPolicy', {
    description: 'As `crediting` of the configuration; amounts in the smallest unit.',
  });

const sourceSchema = z
  .enum(['config', 'api'])
  .openapi({ description: 'The configuration file, or a person through this API.' });

const heldPolicySchema = z
  .object({
    version: z.string().openapi({ description: 'Also the ETag, in quotes.', example: 'pol_12' }),
    source: sourceSchema,
    setAt: timeText,
    setBy: z.string(),
    reason: z.string(),
    policy: policySchema,
    halted: z
      .array(z.string())
      .openapi({ description: 'Halts that are set.', example: ['network ethereum'] }),
    warnings: z
      .array(z.string())
      .openapi({ description: 'Probable misspellings, and depths that no webhook will show.' }),
  })
  .openapi('HeldPolicy');

const changeSchema = z
  .object({
    version: z.string(),
    source: sourceSchema,
    at: timeText,
    actor: z.string(),
    reason: z.string(),
    before: z.union([policySchema, z.null()]),
    after: policySchema,
  })
  .openapi('PolicyChange');

type RuleView = z.infer<typeof ruleSchema>;

function ruleView(rule: Partial<PolicyRule>): RuleView {
  return Object.fromEntries(
    Object.entries(rule).map(([key, value]) => [
      key,
      typeof value === 'bigint' ? value.toString() : value,
    ]),
  );
}

function rulesView(rules: CreditingPolicy['assets']): Record<string, RuleView> {
  return Object.fromEntries(Object.entries(rules).map(([key, rule]) => [key, ruleView(rule)]));
}

function policyView(policy: CreditingPolicy): z.infer<typeof policySchema> {
  const { vaults, startsAt } = policy;
  const { confirmations } = policy.default;
  return {
    ...(vaults === undefined ? {} : { vaults: [...vaults] }),
    ...(startsAt === undefined ? {} : { startsAt }),
    default: { ...ruleView(policy.default), confirmations },
    networks: rulesView(policy.networks),
    assets: rulesView(policy.assets),
  };
}

function changeView(change: PolicyChange): z.infer<typeof changeSchema> {
  return {
    version: policyVersion(change),
    source: change.source,
    at: isoTime(change.setAt),
    actor: change.actor,
    reason: change.reason,
    before: change.before === null ? null : policyView(change.before),
    after: policyView(change.policy),
  };
}

const heldAnswer = { description: 'The current policy', schema: heldPolicySchema };

const getPolicy = createRoute({
  method: 'get',
  path: '/v1/policy',
  operationId: 'getPolicy',
  tags,
  summary: 'The current crediting policy; send its ETag with a change',
  ...needs('read'),
  request: { query: noQuery },
  responses: answers(heldAnswer, ['not-found']),
});

const listChanges = createRoute({
  method: 'get',
  path: '/v1/policy/history',
  operationId: 'listPolicyChanges',
  tags,
  summary: 'Every change of the crediting policy, newest first',
  ...needs('read'),
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ description: 'A page of changes', schema: listOf(changeSchema) }),
});

/** Accepted as any object: the configuration's own check reports its problems. */
export const policyToCheck = z.record(z.string(), z.unknown(), 'must be an object').openapi({
  type: undefined,
  additionalProperties: undefined,
  $ref: '#/components/schemas/CreditingPolicy',
} as object);

const replacementBody = z
  .strictObject({ policy: policyToCheck, reason: reasonText })
  .openapi('PolicyReplacement');

const putPolicy = createRoute({
  method: 'put',
  path: '/v1/policy',
  operationId: 'putPolicy',
  tags,
  summary: 'Replace the whole crediting policy; waiting deposits are evaluated again',
  ...needs('change-policy'),
  request: {
    query: noQuery,
    headers: z.object({
      'if-match': z.string().optional().openapi({
        description: 'The ETag of the policy that was read. Without it 428; when it is old 412.',
        example: '"pol_12"',
      }),
    }),
    body: jsonBody(replacementBody),
  },
  responses: answers(heldAnswer, [
    ...WRITE_PROBLEMS,
    'precondition-failed',
    'precondition-required',
  ]),
});

const switchBody = z
  .strictObject({ network: filter(), asset: filter(), reason: reasonText, basis: basisText })
  .refine(({ network, asset }) => network === undefined || asset === undefined, {
    message: 'name a network or an asset, not both; omit both for everything',
  })
  .openapi('HaltSwitch', {
    description:
      'Without `network` and `asset` it applies to everything. A resume whose `basis` is old answers 409; a halt never does.',
  });

function haltSwitch<Name extends string>(name: Name, summary: string) {
  return createRoute({
    method: 'post',
    path: `/v1/policy/${name}` as const,
    operationId: `${name}Crediting`,
    tags,
    summary,
    ...needs('halt'),
    request: {
      query: noQuery,
      body: jsonBody(switchBody),
    },
    responses: answers(heldAnswer, WRITE_PROBLEMS),
  });
}

const halt = haltSwitch('halt', 'Halt crediting at once: of a network, an asset or everything');
const resume = haltSwitch('resume', 'Lift a halt of the same network, asset or everything');

function scopeOf({ network, asset }: z.infer<typeof switchBody>): HaltScope {
  if (network !== undefined) return { kind: 'network', network: NetworkKey(network) };
  return asset === undefined ? { kind: 'everything' } : { kind: 'asset', asset: AssetId(asset) };
}

/**
 * Whether a header names this version. Entity tags compare strongly; `*` is any (RFC 9110, 13.1.1).
 */
function names(header: string, version: string): boolean {
  const asked = header.split(',').map((one) => one.trim());
  return asked.includes('*') || asked.includes(`"${version}"`);
}

function assertRead(context: Context<ApiEnv>, held: PolicyRow): void {
  const asked = context.req.header('If-Match');
  if (asked === undefined) {
    const detail =
      'Send the ETag of the policy that you changed as If-Match: GET /v1/policy gives both.';
    throw new ProblemError({ kind: 'precondition-required', detail });
  }
  if (names(asked, policyVersion(held))) return;
  const detail = `The policy is ${policyVersion(held)} by now, set by ${held.actor} (${held.reason}): read it again with GET /v1/policy and repeat your change.`;
  throw new ProblemError({ kind: 'precondition-failed', detail });
}

/** A policy that a body describes; a `startsAt` of null is none. Throws the problem of every mistake. */
export function checkedPolicy(
  tools: Pick<PolicyServices, 'check'>,
  json: Readonly<Record<string, unknown>>,
): CreditingPolicy {
  const { startsAt, ...rest } = json;
  const checked = tools.check(startsAt === null ? rest : json);
  if (checked.kind === 'ok') return checked.policy;
  const detail = `body: ${checked.problems.join('; ')}.`;
  throw new ProblemError({ kind: 'invalid-request', detail });
}

/**
 * Refuses a replacement that leaves the start out. A program that does not know `startsAt` would
 * credit every old deposit, which another program may have credited before.
 */
function assertStartNamed(json: Readonly<Record<string, unknown>>, { policy }: PolicyRow): void {
  if (policy.startsAt === undefined || 'startsAt' in json) return;
  const detail = `body: policy.startsAt: the policy in force holds transactions from before ${policy.startsAt}. Send the same time to keep holding them, or null to credit them too.`;
  throw new ProblemError({ kind: 'invalid-request', detail });
}

/** `/v1/policy`: the crediting policy, its changes and its halts. */
export function mountPolicy(app: OpenAPIHono<ApiEnv>, services: Services): void {
  const { reads, policy: tools } = services;
  const held = async (): Promise<PolicyRow> => {
    const row = await reads.policy();
    if (row === undefined) throw notFound('No crediting policy was set yet.');
    return row;
  };
  const shown = async (context: Context<ApiEnv>): Promise<z.infer<typeof heldPolicySchema>> => {
    const row = await held();
    context.header('ETag', `"${policyVersion(row)}"`);
    return {
      version: policyVersion(row),
      source: row.source,
      setAt: isoTime(row.setAt),
      setBy: row.actor,
      reason: row.reason,
      policy: policyView(row.policy),
      halted: haltsIn(row.policy).map(scopeText),
      warnings: [...(await tools.warnings(row.policy))],
    };
  };
  const change = async (context: Context<ApiEnv>, decision: Decision) => {
    const { kind } = await recordDecision(services, context.get('caller'), decision);
    if (kind === 'taken') tools.changed();
    return shown(context);
  };
  app.openapi(getPolicy, async (context) => context.json(await shown(context), 200));
  app.openapi(listChanges, async (context) => {
    const found = await reads.policyHistory(context.req.valid('query'));
    return context.json(listAnswer(found, changeView), 200);
  });
  app.openapi(putPolicy, async (context) => {
    const { policy: json, reason } = context.req.valid('json');
    const policy = checkedPolicy(tools, json);
    const before = await held();
    assertRead(context, before);
    assertStartNamed(json, before);
    const decision = {
      kind: 'policy',
      source: 'api',
      policy,
      replaces: before.seq,
      reason,
    } as const;
    return context.json(await change(context, decision), 200);
  });
  for (const [route, kind] of [
    [halt, 'halt'],
    [resume, 'resume'],
  ] as const) {
    app.openapi(route, async (context) => {
      const body = context.req.valid('json');
      const { reason, basis } = body;
      const decision = { kind, scope: scopeOf(body), ...given({ reason, basis }) };
      return context.json(await change(context, decision), 200);
    });
  }
}
