import { expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { balanceChange, verifyWith } from '../../../store/evidence.ts';
import { openLedger, SIX_DEEP, type OpenLedger } from '../../../store/open-ledger.ts';
import { change, Service, type WebhookBody } from '../../../store/webhook.ts';

/** 100 units, six deep and verified at six; only an approval is missing. */
async function verified(): Promise<{ open: OpenLedger; service: Service }> {
  const open = await openLedger({
    ...SIX_DEEP,
    default: { confirmations: 6, oneApprovalAbove: Amount(1n) },
  });
  const service = new Service();
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  expect(open.depositState()).toBe('held: approval_required');
  return { open, service };
}

function approve(open: OpenLedger) {
  return open.decide({ kind: 'approve', depositId: open.depositId(), reason: 'known sender' });
}

test.for<[depth: number | null, feed: string[]]>([
  [1, []],
  [5, []],
  [6, ['credit 100']],
  [7, ['credit 100']],
  [null, ['credit 100']],
])(
  'a verified deposit whose record omits its balance changes and is %s deep, when it is approved',
  async ([confirmations, feed]) => {
    const { open } = await verified();
    await verifyWith(open, { changes: null, confirmations });
    await approve(open);
    expect(open.feedLines()).toEqual(feed);
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
  },
);

const TAGGED = { balanceChanges: [change('100', { tags: ['change'] })] };

test.for<[event: string, of: (service: Service) => WebhookBody, breaks: string[]]>([
  ['in the mempool', (service) => service.incoming('mempool', TAGGED), []],
  ['less deep', (service) => service.confirmed(5, TAGGED), ['amount_changed']],
  ['deeper', (service) => service.confirmed(7, TAGGED), ['amount_changed']],
])(
  'a webhook %s that calls a verified deposit change keeps it from no credit',
  async ([_, eventOf, breaks]) => {
    const { open, service } = await verified();
    await open.deliver(eventOf(service));
    expect(open.depositState()).toBe('held: approval_required');
    expect(open.openBreaks()).toEqual(breaks);
    await approve(open);
    expect(open.feedLines()).toEqual(['credit 100']);
  },
);

test('a verified deposit that the custody API tags as change later is internal', async () => {
  const { open } = await verified();
  await verifyWith(open, { changes: [balanceChange(100n, { kind: 'change' })] });
  expect(open.depositState()).toBe('internal');
});
