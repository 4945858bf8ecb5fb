import { expect, test } from 'vitest';
import { audit } from '../../store/bookkeeping/audited.ts';
import type { Stage, Webhook } from '../stage.ts';
import { startVerifying } from '../verifying/verifying-stage.ts';

/** Forged webhooks of these types arrive now. */
async function forge(stage: Stage, types: readonly string[], number: number): Promise<void> {
  const isThere = ({ stream }: Webhook): boolean => stream === 'incoming';
  const webhook = [...stage.heard.values()].find(isThere);
  for (const type of types) {
    const confirmations = type === 'confirmation' ? 1 : undefined;
    await stage.deliver({ ...webhook, id: `forged-${type}-${number}`, type, confirmations });
  }
}

interface Stand {
  readonly stage: Stage;
  /** Runs before the sweep commits records. */
  readonly beforeCommit: { act: () => Promise<void> };
  /** A run, after the verifier's rounds. */
  readonly run: () => Promise<void>;
}

/** A deposit that is one deep. */
async function oneDeep(): Promise<Stand> {
  const { stage, changes, rounds } = await startVerifying();
  const beforeCommit = { act: () => Promise.resolve() };
  const sweep = stage.newSweep({
    changes,
    subscription: { webhookUrl: await stage.webhookUrl(), vaults: 'all' },
    submit: async (facts) => {
      await beforeCommit.act();
      return stage.open.commit(facts);
    },
  });
  await stage.paid(await stage.depositAddress(), 700, 1);
  const run = async (): Promise<void> => {
    await rounds();
    await stage.run(sweep);
    await stage.caller.advance(60_000);
  };
  return { stage, beforeCommit, run };
}

/** Ten rounds of forged webhooks arrive after every answer of the custody API's list, and before every commit. */
function flood({ stage, beforeCommit }: Stand, types: readonly string[]): void {
  const list = stage.client.transactions.bind(stage.client);
  let number = 0;
  const arrive = async (): Promise<void> => {
    for (const end = number + 10; number < end; number += 1) await forge(stage, types, number);
  };
  stage.client.transactions = async (...asked) => {
    const answer = await list(...asked);
    await arrive();
    return answer;
  };
  beforeCommit.act = arrive;
}

test.each<[string, readonly string[]]>([
  ['rollbacks', ['rollback']],
  ['confirmations and rollbacks', ['confirmation', 'rollback']],
])(
  'a flood of forged %s delays a credit by little more than the grace period',
  async (_, types) => {
    const stand = await oneDeep();
    const { stage, run } = stand;
    flood(stand, types);
    await stage.mine(2);
    for (let minute = 0; minute < 12; minute += 1) await run();
    expect(stage.open.feedLines()).toEqual(['credit 700']);
    expect(audit(stage.open)).toEqual([]);
  },
);

test('a few forged confirmations and rollbacks delay a credit by a grace period each', async () => {
  const { stage, run } = await oneDeep();
  await stage.mine(2);
  for (let minute = 0; minute < 40; minute += 1) {
    if (minute < 27 && minute % 9 === 0) await forge(stage, ['confirmation', 'rollback'], minute);
    await run();
  }
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(audit(stage.open)).toEqual([]);
});
