import { expect, test } from 'vitest';
import { consumeCredits } from '../../../../src/commands/demo/people/consumer.ts';
import { healingText, untilHealed } from '../../../../src/commands/demo/end/healing.ts';
import type { ProductApi } from '../../../../src/commands/demo/product-api.ts';
import { BlockchainHash, DepositId, TransactionId } from '../../../../src/domain/ids.ts';
import { verifyWith } from '../../../store/evidence.ts';
import type { OpenLedger } from '../../../store/open-ledger.ts';
import type { Service } from '../../../store/webhook.ts';
import { servedProductApi } from '../product-api-server.ts';

const HOUR_MS = 3_600_000;

/** Waits for healing. A step runs before each reading; a reading takes 10 s of the store's clock. */
async function healing(
  { api, open }: { api: ProductApi; open: OpenLedger },
  steps: readonly (() => unknown)[],
  over = new AbortController().signal,
) {
  const left = [...steps];
  const { disorder, breaksForPerson } = await untilHealed(api, {
    vaultIds: ['v1'],
    over,
    now: () => open.at,
    pause: async () => {
      open.at += 10_000;
      await left.shift()?.();
    },
  });
  return { disorder, breaksForPerson, stepsLeft: left.length };
}

/** Another deposit, credited and acknowledged. */
async function acknowledgeAnother(
  { api, open, service }: { api: ProductApi; open: OpenLedger; service: Service },
  number: number,
): Promise<void> {
  const blockchainHash = BlockchainHash(`0xb${number}`);
  const transactionId = TransactionId(`dep-tx-${number}`);
  await open.deliver(service.confirmed(6, { blockchainHash, transactionId }));
  const { data } = await api.get<{ data: { depositId: string }[] }>(
    `/v1/deposits?blockchainHash=${blockchainHash}`,
  );
  const record = { blockchainHash, transactionId };
  await verifyWith(open, record, DepositId(data[0]?.depositId ?? ''));
  const ended = new AbortController();
  const consuming = consumeCredits(api, ended.signal);
  ended.abort();
  await consuming;
}

async function stage() {
  const { store, service, api } = await servedProductApi();
  const { open } = store;
  await verifyWith(open);
  // Earlier deposits and breaks are old by now.
  open.at += HOUR_MS;
  return { store, open, service, api };
}

const NOTHING_NEW = 'no new deposit of vault v1 is settled';

test('an episode has healed when a later deposit is `settled`', async () => {
  const all = await stage();
  const steps = [() => undefined, () => acknowledgeAnother(all, 1), () => undefined];
  expect(await healing(all, steps)).toEqual({ disorder: [], breaksForPerson: 0, stepsLeft: 1 });
});

test('an episode has not healed while a break is open, except a break that waits for a person', async () => {
  const all = await stage();
  await all.open.deliver({ id: 'strange', stream: 'weather' });
  const { id } = all.open.openBreak('quarantined');
  const resolve = () => all.api.post(`/v1/breaks/${id}/resolve`, { reason: 'seen' });
  const unattributed = all.service.confirmed(6, {
    blockchainHash: '0xc1',
    memo: '88',
    transactionId: 'dep-tx-memo',
  });
  const steps = [() => acknowledgeAnother(all, 1), () => all.open.deliver(unattributed), resolve];
  expect(await healing(all, steps)).toEqual({ disorder: [], breaksForPerson: 1, stepsLeft: 0 });
  expect(all.open.openBreak('unattributed_memo').state).toBe('open');
});

test('after two minutes the result names what is not in order', async () => {
  const all = await stage();
  await all.open.deliver({ id: 'strange', stream: 'weather' });
  const { disorder } = await healing(all, []);
  expect(disorder).toEqual([NOTHING_NEW, 'quarantined']);
});

test('it does not wait beyond the end of the demo', async () => {
  const all = await stage();
  const over = new AbortController();
  const steps = [() => over.abort(), () => undefined];
  expect(await healing(all, steps, over.signal)).toEqual({
    disorder: [NOTHING_NEW],
    breaksForPerson: 0,
    stepsLeft: 1,
  });
});

test.each([
  [[], 0, 'healed 3 s after it began; no break is open'],
  [[], 1, 'healed 3 s after it began; 1 open break waits for a person'],
  [[], 2, 'healed 3 s after it began; 2 open breaks wait for a person'],
  [[NOTHING_NEW], 2, `not healed 3 s after it began: ${NOTHING_NEW}`],
])('%j with %i breaks for a person: %s', (disorder, breaksForPerson, text) => {
  expect(healingText({ disorder, breaksForPerson }, 3)).toBe(text);
});
