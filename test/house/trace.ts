import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY } from './source.ts';

const TRACES = join(REPOSITORY, 'test/cases');

const smallestUnits = z.string().regex(/^(0|[1-9][0-9]{0,77})$/);

const policy = z.strictObject({
  confirmations: z.int().min(0).optional(),
  minimumAmount: smallestUnits.optional(),
  oneApprovalAbove: smallestUnits.optional(),
  twoApprovalsAbove: smallestUnits.optional(),
  requireMemo: z.boolean().optional(),
  halted: z.boolean().optional(),
  creditInternal: z.boolean().optional(),
});

/** Balances compare as a set of non-zero positions; amounts are in the asset's smallest unit. */
const balance = z.strictObject({
  vaultId: z.string().min(1),
  accountId: z.string().nullable(),
  addressId: z.string().nullable(),
  memo: z.string().nullable(),
  asset: z.string().min(1),
  amount: z.string().regex(/^-?[1-9][0-9]{0,77}$/),
});

const deposit = z.strictObject({
  vaultId: z.string().min(1),
  addressId: z.string().nullable(),
  blockchainHash: z.string().min(1),
  asset: z.string().min(1),
  state: z.enum([
    'detected',
    'confirming',
    'verifying',
    'credited',
    'settled',
    'internal',
    'held',
    'rolled_back',
    'reversed',
  ]),
  amount: smallestUnits.optional(),
  confirmations: z.int().min(0).optional(),
  epoch: z.int().min(0).optional(),
  reason: z.string().min(1).optional(),
});

const step = z.union([
  z.strictObject({
    deliver: z.looseObject({ id: z.string() }),
    answer: z.enum(['accepted', 'duplicate', 'quarantined']),
  }),
  z.strictObject({ deliverRaw: z.string(), status: z.int().min(200).max(599) }),
]);

/** A golden trace, as test/cases/README.md describes it. No field beyond these is allowed. */
export const trace = z.strictObject({
  name: z.string().regex(/^[0-9]{2}-[a-z0-9-]+$/),
  why: z.string().min(1),
  crediting: z.strictObject({
    default: policy.extend({ confirmations: z.int().min(0) }),
    networks: z.record(z.string(), policy),
    assets: z.record(z.string(), policy),
  }),
  steps: z.array(step).min(1),
  expect: z.strictObject({
    balances: z.array(balance),
    chainBalances: z.array(balance).optional(),
    deposits: z.array(deposit).optional(),
    breaks: z.array(z.string().min(1)),
  }),
});

/** The names of all traces, in order, without `.json`. */
export function traceNames(): string[] {
  return readdirSync(TRACES)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.replace(/\.json$/, ''))
    .toSorted();
}

/** One trace, unparsed: `trace.parse` says where it breaks the format. */
export function readTrace(name: string): unknown {
  return JSON.parse(readFileSync(join(TRACES, `${name}.json`), 'utf8'));
}
