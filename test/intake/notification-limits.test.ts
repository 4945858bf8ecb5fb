import { expect, test } from 'vitest';
import { decode, decodeAgain } from '../../src/intake/decode.ts';
import {
  ASSETS_MAX,
  CHANGES_MAX,
  REPEATED_CHARACTERS_MAX,
} from '../../src/intake/notification-limits.ts';
import { change, Service, type ChangeBody, type WebhookBody } from '../store/webhook.ts';

const service = new Service();

/** The result of a body: `notification`, or the kind and the defect. */
function resultOf(read: typeof decode, body: object): string {
  const decoded = read(Buffer.from(JSON.stringify(body)));
  return decoded.kind === 'notification' ? 'notification' : `${decoded.kind}: ${decoded.defect}`;
}

function changes(count: number, of: (at: number) => Partial<ChangeBody>): ChangeBody[] {
  return Array.from({ length: count }, (_, at) => change(1n, of(at)));
}

const sameAsset = (count: number) => changes(count, (at) => ({ address: { id: `adr-${at}` } }));
const assets = (count: number) => changes(count, (at) => ({ asset: `ethereum:C${at}` }));

/** A body with a vault so long that the names that its rows may repeat have this length together. */
function naming(length: number, body: WebhookBody): WebhookBody {
  const { network, blockchainHash, transactionId, accountId, addressId } = body;
  const position = body.stream === 'incoming' ? [accountId, addressId] : [];
  const others = [network, blockchainHash, transactionId, ...position].join('').length;
  return { ...body, vaultId: 'v'.repeat(length - others) };
}

const mined = (balanceChanges: ChangeBody[]) => service.outgoing('mined', { balanceChanges });
const chain = (balanceChanges: ChangeBody[]) => service.chain('transaction', { balanceChanges });
const incoming = (balanceChanges: ChangeBody[]) => service.confirmed(1, { balanceChanges });
const TEN_NAMES = REPEATED_CHARACTERS_MAX / 10;

const BODIES: [what: string, body: object, result: string][] = [
  ['4,000 entries', chain(sameAsset(CHANGES_MAX)), 'notification'],
  [
    '4,001 entries',
    chain(sameAsset(CHANGES_MAX + 1)),
    'quarantined: balanceChanges: 4001 entries, more than the 4000 that are booked at once',
  ],
  ['500 assets', incoming(assets(ASSETS_MAX)), 'notification'],
  [
    '501 assets',
    incoming(assets(ASSETS_MAX + 1)),
    'quarantined: balanceChanges: 501 assets, more than the 500 that are booked at once',
  ],
  ['501 entries of few assets', mined(sameAsset(ASSETS_MAX + 1)), 'notification'],
  [
    '10 entries that repeat a million characters',
    naming(TEN_NAMES, chain(assets(10))),
    'notification',
  ],
  [
    'one character more',
    naming(TEN_NAMES + 1, chain(assets(10))),
    'quarantined: body: 10 entries repeat names of 100001 characters, more than the 1000000 in all that are booked at once',
  ],
  ['a million with the place', naming(TEN_NAMES, incoming(assets(10))), 'notification'],
  [
    'one character more with the place',
    naming(TEN_NAMES + 1, incoming(assets(10))),
    'quarantined: body: 10 entries repeat names of 100001 characters, more than the 1000000 in all that are booked at once',
  ],
  [
    'entries that name long places of their own',
    chain(changes(10, (at) => ({ address: { id: `${at}`.repeat(TEN_NAMES) } }))),
    'notification',
  ],
  [
    'a long name and no entries',
    service.chain('confirmation', { vaultId: 'v'.repeat(999_999) }),
    'notification',
  ],
];

test.for(BODIES)('%s', ([_, body, result]) => {
  expect(resultOf(decode, body)).toBe(result);
});

test.for(BODIES)('read again for a replay, it is booked as it was: %s', ([_, body]) => {
  expect(resultOf(decodeAgain, body)).toBe('notification');
});
