import { expect } from 'vitest';
import type { z } from 'zod';
import type { CreditingPolicy, PolicyRule } from '../../src/domain/policy/policy.ts';
import { Amount } from '../../src/domain/money/amount.ts';
import { readTrace, trace } from '../house/trace.ts';
import type { OpenLedger } from './open-ledger.ts';

type Trace = z.infer<typeof trace>;
type Position = Trace['expect']['balances'][number];

function ruleOf(stated: Trace['crediting']['networks'][string]): Partial<PolicyRule> {
  return Object.fromEntries(
    Object.entries(stated).map(([key, value]) => [
      key,
      typeof value === 'string' ? Amount(BigInt(value)) : value,
    ]),
  );
}

function rulesOf(stated: Trace['crediting']['networks']): Record<string, Partial<PolicyRule>> {
  return Object.fromEntries(Object.entries(stated).map(([key, rule]) => [key, ruleOf(rule)]));
}

function positionsOf(open: OpenLedger, view: 'books' | 'chain'): Position[] {
  return open.rows<Position>(
    `SELECT vault_id AS vaultId, nullif(account_id, '') AS accountId,
            nullif(address_id, '') AS addressId, nullif(memo, '') AS memo, asset, amount
     FROM balances JOIN ledger_accounts USING (ledger_account)
     WHERE kind = 'position' AND view = ? AND amount <> '0'`,
    view,
  );
}

/** Plays the steps; returns the outcome and the expected outcome of each. */
async function play(open: OpenLedger, steps: Trace['steps']) {
  const outcomes: string[] = [];
  const expected: string[] = [];
  for (const step of steps) {
    const body = 'deliver' in step ? step.deliver : step.deliverRaw;
    outcomes.push(...(await open.deliver(body)));
    expected.push('answer' in step ? step.answer : (ANSWER_OF[step.status] ?? String(step.status)));
  }
  return { outcomes, expected };
}

/** The HTTP status for a body that is not a notification. */
const ANSWER_OF: Record<number, string> = { 400: 'refused' };

/** Positions without an order: `vault/account/address/memo asset` and the amount, sorted. */
function linesOf(list: readonly Position[]): string[] {
  return list
    .map(
      (one) =>
        `${[one.vaultId, one.accountId, one.addressId, one.memo].join('/')} ${one.asset} ${one.amount}`,
    )
    .toSorted();
}

function policyOf({ default: base, networks, assets }: Trace['crediting']): CreditingPolicy {
  return {
    default: { ...ruleOf(base), confirmations: base.confirmations },
    networks: rulesOf(networks),
    assets: rulesOf(assets),
  };
}

/** The books, the chain view, deposits and breaks of a replica are as a trace expects them. */
export function expectState(replica: OpenLedger, expected: Trace['expect']): void {
  const { balances, chainBalances, deposits, breaks } = expected;
  const chain = positionsOf(replica, 'chain');
  expect(linesOf(positionsOf(replica, 'books'))).toEqual(linesOf(balances));
  expect(linesOf(chain)).toEqual(linesOf(chainBalances ?? chain));
  expect(replica.openBreaks()).toEqual(breaks);
  const known = replica.rows<object>(
    `SELECT vault_id AS vaultId, address_id AS addressId, blockchain_hash AS blockchainHash,
            asset, amount, state, confirmations, epoch, reason FROM deposits`,
  );
  expect(known).toHaveLength(deposits?.length ?? known.length);
  for (const one of deposits ?? []) expect(known).toContainEqual(expect.objectContaining(one));
}

/** Plays a golden trace into a store; the outcomes of its steps, and what a replica must hold then. */
export async function playTrace(
  name: string,
  openWith: (policy: CreditingPolicy) => Promise<OpenLedger>,
) {
  const story = trace.parse(readTrace(name));
  const open = await openWith(policyOf(story.crediting));
  const answers = await play(open, story.steps);
  await open.run(0);
  return { ...answers, replicas: open.replicas, state: story.expect };
}
