import { expect, test } from 'vitest';
import { z } from 'zod';
import type { PolicyRule } from '../../src/domain/crediting.ts';
import { Amount } from '../../src/domain/amount.ts';
import { readTrace, trace, traceNames } from '../house/trace.ts';
import { openLedger } from './open-ledger.ts';
import type { OpenLedger } from './open-ledger.ts';

type Trace = z.infer<typeof trace>;

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

function positionsOf(open: OpenLedger, view: 'books' | 'chain'): unknown[] {
  return open.rows(
    `SELECT vault_id AS vaultId, nullif(account_id, '') AS accountId,
            nullif(address_id, '') AS addressId, nullif(memo, '') AS memo, asset, amount
     FROM balances JOIN ledger_accounts USING (ledger_account)
     WHERE kind = 'position' AND view = ? AND amount <> '0'`,
    view,
  );
}

async function play(open: OpenLedger, steps: Trace['steps']): Promise<void> {
  for (const step of steps) {
    if ('deliver' in step) {
      expect(await open.deliver(step.deliver)).toEqual([step.answer]);
    } else {
      expect({ status: step.status, taken: await open.deliver(step.deliverRaw) }).toEqual({
        status: 400,
        taken: ['refused'],
      });
    }
  }
}

test.for(traceNames())('%s: the books, the chain view, deposits and breaks are as told', async (name) => {
  const told = trace.parse(readTrace(name));
  const { default: base, networks, assets } = told.crediting;
  const open = await openLedger({
    default: { ...ruleOf(base), confirmations: base.confirmations },
    networks: rulesOf(networks),
    assets: rulesOf(assets),
  });
  await play(open, told.steps);
  await open.run(0);
  const { balances, chainBalances, deposits, breaks } = told.expect;
  const books = positionsOf(open, 'books');
  expect(books).toHaveLength(balances.length);
  expect(books).toEqual(expect.arrayContaining(balances));
  if (chainBalances !== undefined) {
    const chain = positionsOf(open, 'chain');
    expect(chain).toHaveLength(chainBalances.length);
    expect(chain).toEqual(expect.arrayContaining(chainBalances));
  }
  expect(open.openBreaks()).toEqual(breaks);
  if (deposits === undefined) return;
  const known = open.rows(
    `SELECT vault_id AS vaultId, address_id AS addressId, blockchain_hash AS blockchainHash,
            asset, amount, state, confirmations, epoch, reason FROM deposits`,
  );
  expect(known).toHaveLength(deposits.length);
  for (const one of deposits) expect(known).toContainEqual(expect.objectContaining(one));
});
