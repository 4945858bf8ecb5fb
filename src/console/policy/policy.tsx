import type { Hono } from 'hono';
import { AssetId, NetworkKey } from '../../domain/ids.ts';
import { scopeText, type HaltScope } from '../../domain/policy/halt.ts';
import { policyVersion } from '../../domain/policy/policy.ts';
import type { ApiResult } from '../../api/acting.ts';
import type { PolicySimulation } from '../../api/exchange/policy-simulation.ts';
import type { PolicyRow } from '../../store/records.ts';
import type { Reads } from '../../store/reads.ts';
import type { ConsoleContext, ConsoleEnv, Doubt, PageRequest } from '../frame/context.ts';
import { inFormWords } from '../frame/form-words.ts';
import { refusalStatus, type RefusalStatus } from '../frame/refusal-status.ts';
import { writtenIn } from '../frame/written.ts';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import type { Problem } from '../../pages/parts/notice.tsx';
import { basisIn, type Fields } from '../../pages/parts/form/form-text.ts';
import { linkTo, pageOf } from '../../pages/parts/list/link.ts';
import { ChangePage, ReviewPage } from './change-page.tsx';
import { COMPARE_PATH, ComparePage, readVersions } from './compare-page.tsx';
import { nameWarning, POLICY_PATH } from './halts-card.tsx';
import { HistoryPage } from './history-page.tsx';
import { PolicyPage, sourceText } from './policy-page.tsx';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { asReplacement, plainPolicy, policyTextOf, type PolicyText } from './policy-text.ts';
import {
  amountProblems,
  formRulesIn,
  formRulesOf,
  policyOf,
  startFieldOf,
  trimmedText,
  vaultsFieldOf,
  vaultsIn,
  withHaltsOf,
  type FormRule,
} from './rule-form.ts';

const HISTORY_PAGE_SIZE = 20;
const GET_POLICY = { method: 'GET', path: '/v1/policy' } as const;
const SIMULATE = { method: 'POST', path: '/v1/policy/simulate' } as const;
const PUT_POLICY = { method: 'PUT', path: '/v1/policy' } as const;
const SWITCHES = {
  halt: { method: 'POST', path: '/v1/policy/halt' },
  resume: { method: 'POST', path: '/v1/policy/resume' },
} as const;

/** The policy in force with the decimals of its assets; undefined before the first. */
async function readHeld(reads: Pick<Reads, 'policy' | 'pinnedDecimals'>) {
  const [row, decimals] = await Promise.all([reads.policy(), reads.pinnedDecimals()]);
  return row === undefined ? undefined : { row, decimals: decimals as ReadonlyMap<string, number> };
}

/** Warnings of the API; none in a public console, whose visitor cannot call it. */
function warningsIn(result: ApiResult): readonly string[] {
  if (result.kind === 'refused') return [];
  return (result.body as { readonly warnings: readonly string[] }).warnings;
}

/** What a person sent: a policy as JSON, its fields as the form shows them, and what is wrong. */
interface Sent {
  /** Of the policy that the form began from; empty in a form without one, which compares nothing. */
  readonly version: string;
  readonly json: unknown;
  /** The text of the field of the vaults. */
  readonly vaults: string;
  /** The text of the field of the start. */
  readonly startsAt: string;
  readonly rules: readonly FormRule[];
  readonly problem: Problem | null;
}

function sentAsJson(
  { version, json }: Pick<Sent, 'version' | 'json'>,
  decimals: Decimals,
  problem: Problem | null = null,
): Sent {
  const policy = policyTextOf(json);
  const [vaults, startsAt] = [vaultsFieldOf(policy), startFieldOf(policy)];
  const rules = formRulesOf(policy, decimals);
  return { version, json, vaults, startsAt, rules, problem };
}

function problemIn(problems: readonly string[]): Problem | null {
  const detail = problems.join(' ');
  return problems.length === 0 ? null : { title: 'The change is not valid', detail };
}

/** What a form carries. `current` is the JSON beside a form, and the form beside a JSON, that is wrong. */
function sentIn(fields: Fields, current: PolicyText, decimals: Decimals): Sent {
  const version = trimmedText(fields, 'version');
  const text = fields['json'];
  if (typeof text !== 'string') {
    const rules = formRulesIn(fields);
    const { policy, problems } = policyOf(rules, decimals);
    const problem = problemIn(problems);
    const vaults = trimmedText(fields, 'vaults');
    const startsAt = trimmedText(fields, 'startsAt');
    const proposed = {
      ...vaultsIn(vaults),
      ...(startsAt === '' ? {} : { startsAt }),
      ...withHaltsOf(current, policy),
    };
    const json = problem === null ? proposed : current;
    return { version, json, vaults, startsAt, rules, problem };
  }
  try {
    const json = JSON.parse(text) as unknown;
    const problems = amountProblems(policyTextOf(json), decimals);
    return sentAsJson({ version, json }, decimals, problemIn(problems));
  } catch (error) {
    const detail = `${String(error)}. Correct the text, or begin again.`;
    const problem = { title: 'The text is not JSON', detail };
    return sentAsJson({ version, json: current }, decimals, problem);
  }
}

/**
 * Why a form that began from an older policy is not reviewed: it holds that policy's halts and
 * rules, and would take back what others have set since. Null for a form that began from this one.
 */
function staleness({ version }: Sent, row: PolicyRow): Problem | null {
  const now = policyVersion(row);
  if (version === '' || version === now) return null;
  const detail = `The policy is ${now} by now, set by ${sourceText(row)} (${row.reason}), and this change began from ${version}. Open “Change…” again, and repeat your change there.`;
  return { title: 'The policy changed while you edited it', detail };
}

/** Reads: the policy, its history, and the page that edits it. */
function mountPages(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, show, may, act } = context;
  app.get(POLICY_PATH, async (pageRequest) => {
    const held = await readHeld(reads);
    if (held === undefined) {
      const body = <EmptyState title="No crediting policy was set yet: nothing is credited." />;
      return show(pageRequest, { title: 'Policy', body });
    }
    const warnings = warningsIn(await act(pageRequest, GET_POLICY));
    const body = (
      <PolicyPage
        {...held}
        warnings={warnings}
        find={pageRequest.req.query('find') ?? ''}
        isNew={pageRequest.req.query('set') === policyVersion(held.row)}
        maySwitch={may(pageRequest, SWITCHES.halt)}
        mayChange={may(pageRequest, PUT_POLICY)}
      />
    );
    return show(pageRequest, { title: 'Policy', body });
  });
  app.get(`${POLICY_PATH}/history`, async (pageRequest) => {
    const page = pageOf(pageRequest.req.query('page'));
    const [found, decimals] = await Promise.all([
      reads.policyHistory({ page, pageSize: HISTORY_PAGE_SIZE }),
      reads.pinnedDecimals(),
    ]);
    const body = <HistoryPage found={found} decimals={decimals} />;
    return show(pageRequest, { title: 'History of the policy', body });
  });
}

/** What differs between two versions that a link names. */
function mountCompare(app: Hono<ConsoleEnv>, { reads, show, missing }: ConsoleContext): void {
  app.get(COMPARE_PATH, async (pageRequest) => {
    const { from = '', to = '' } = pageRequest.req.query();
    const names = [from.trim(), to.trim()] as const;
    const [before, after] = await readVersions(reads, names);
    if (before === undefined || after === undefined) {
      const unknown = before === undefined ? names[0] : names[1];
      return missing(
        pageRequest,
        `There is no policy ${unknown === '' ? 'without a name' : unknown}. Name two versions of the history, such as pol_1.`,
      );
    }
    const decimals = await reads.pinnedDecimals();
    const body = <ComparePage from={before} to={after} decimals={decimals} />;
    return show(pageRequest, { title: `From ${names[0]} to ${names[1]}`, body });
  });
}

/** The change of a policy: edit, review, set. */
function mountChange(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, show, act, missing, may, denied } = context;
  const edit = (
    pageRequest: PageRequest,
    sent: Sent,
    decimals: Decimals,
    status?: RefusalStatus,
  ) => {
    const { json, ...form } = sent;
    const body = <ChangePage policy={policyTextOf(json)} {...form} decimals={decimals} />;
    return show(pageRequest, { title: 'Change the policy', body }, status);
  };
  app.get(`${POLICY_PATH}/change`, async (pageRequest) => {
    if (!may(pageRequest, PUT_POLICY)) return denied(pageRequest, PUT_POLICY);
    const held = await readHeld(reads);
    if (held === undefined) return missing(pageRequest, 'No crediting policy was set yet.');
    const { row, decimals } = held;
    const sent = { version: policyVersion(row), json: plainPolicy(row.policy) };
    return edit(pageRequest, sentAsJson(sent, decimals), decimals);
  });
  app.post(`${POLICY_PATH}/review`, async (pageRequest) => {
    if (!may(pageRequest, PUT_POLICY)) return denied(pageRequest, PUT_POLICY);
    const held = await readHeld(reads);
    if (held === undefined) return missing(pageRequest, 'No crediting policy was set yet.');
    const { row, decimals } = held;
    const current = plainPolicy(row.policy);
    const sent = sentIn(await pageRequest.req.parseBody(), current, decimals);
    const stale = staleness(sent, row);
    if (stale !== null) return edit(pageRequest, { ...sent, problem: stale }, decimals, 409);
    if (sent.problem !== null) return edit(pageRequest, sent, decimals, 400);
    const simulation = await act(pageRequest, { ...SIMULATE, body: { policy: sent.json } });
    // A policy that the API refuses has nothing to set: the person corrects the form.
    if (simulation.kind === 'refused') {
      const problem = inFormWords(simulation.problem);
      return edit(pageRequest, { ...sent, problem }, decimals, refusalStatus(problem));
    }
    const body = (
      <ReviewPage
        version={policyVersion(row)}
        {...{ current, decimals }}
        proposed={policyTextOf(sent.json)}
        json={JSON.stringify(sent.json)}
        simulation={simulation.body as PolicySimulation}
      />
    );
    return show(pageRequest, { title: 'Review the change', body });
  });
  app.post(`${POLICY_PATH}/set`, async (pageRequest) => {
    if (!may(pageRequest, PUT_POLICY)) return denied(pageRequest, PUT_POLICY);
    const held = await readHeld(reads);
    if (held === undefined) return missing(pageRequest, 'No crediting policy was set yet.');
    const { row, decimals } = held;
    const fields = await pageRequest.req.parseBody();
    const sent = sentIn(fields, plainPolicy(row.policy), decimals);
    if (sent.problem !== null) return edit(pageRequest, sent, decimals, 400);
    const call = {
      ...PUT_POLICY,
      headers: { 'If-Match': `"${trimmedText(fields, 'version')}"` },
      body: { policy: asReplacement(sent.json), reason: trimmedText(fields, 'reason') },
    };
    const result = await act(pageRequest, call);
    // The person's change stays on the page, beside what is wrong with it.
    if (result.kind === 'refused') {
      const problem = { ...inFormWords(result.problem), written: writtenIn(call) };
      return edit(pageRequest, { ...sent, problem }, decimals, refusalStatus(problem));
    }
    const { version: set } = result.body as { readonly version: string };
    return pageRequest.redirect(linkTo(POLICY_PATH, { set }), 303);
  });
}

/**
 * What a form halts or resumes. The switch of everything has no fields for names. Empty fields name
 * nothing, never everything: the API refuses the empty name.
 */
function scopeIn(fields: Fields): { readonly [Name in 'network' | 'asset']?: string } {
  const [network, asset] = [trimmedText(fields, 'network'), trimmedText(fields, 'asset')];
  const isEmpty = network === '' && asset === '';
  if (isEmpty) return 'network' in fields || 'asset' in fields ? { network } : {};
  return { ...(network === '' ? {} : { network }), ...(asset === '' ? {} : { asset }) };
}

/** Why a halt may stop nothing, by the API's warnings; null: its name is known. */
function doubtAbout(scope: HaltScope, body: unknown): Doubt | null {
  const { warnings } = body as { readonly warnings: readonly string[] };
  const warning = nameWarning(scope, warnings);
  if (warning === null) return null;
  const text = scopeText(scope);
  return {
    title: `The halt of ${text} is set, but it stops no deposit that is known here.`,
    detail: `Check the name: ${warning} If it is wrong, halt the right one, and resume ${text}. A name that is new is halted from its first deposit on.`,
  };
}

function scopeNamed({ network, asset }: ReturnType<typeof scopeIn>): HaltScope {
  if (network !== undefined) return { kind: 'network', network: NetworkKey(network) };
  return asset === undefined ? { kind: 'everything' } : { kind: 'asset', asset: AssetId(asset) };
}

/** Halting and resuming. */
function mountSwitches(app: Hono<ConsoleEnv>, { perform }: ConsoleContext): void {
  for (const kind of ['halt', 'resume'] as const) {
    app.post(`${POLICY_PATH}/${kind}`, async (pageRequest) => {
      const fields: Fields = await pageRequest.req.parseBody();
      const names = scopeIn(fields);
      const name = names.network ?? names.asset ?? 'everything';
      const done = kind === 'halt' ? `${name} is halted.` : `${name} is no longer halted.`;
      return perform(pageRequest, {
        ...SWITCHES[kind],
        body: { ...names, ...basisIn(fields), reason: fields['reason'] },
        done,
        ...(kind === 'halt' && { doubts: (body) => doubtAbout(scopeNamed(names), body) }),
        back: POLICY_PATH,
      });
    });
  }
}

/** `/console/policy`: the crediting policy, its history, its change and its halts. */
export function mountPolicy(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  mountPages(app, context);
  mountCompare(app, context);
  mountChange(app, context);
  mountSwitches(app, context);
}
