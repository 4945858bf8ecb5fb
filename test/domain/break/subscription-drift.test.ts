import { expect, test } from 'vitest';
import { driftText, subscriptionDrift } from '../../../src/domain/break/subscription-drift.ts';

const OURS = 'https://us.example/hooks/secret';

/** The streams of a vault and where they go, and what is wrong with that. */
const SUBSCRIPTIONS: [rows: [stream: string, url: string][], says: string][] = [
  [[], 'there is no subscription'],
  [
    [
      ['outgoing', OURS],
      ['blockchain', OURS],
      ['incoming', OURS],
    ],
    'all three streams come to us',
  ],
  [
    [
      ['incoming', OURS],
      ['tomorrow', OURS],
      ['outgoing', OURS],
      ['blockchain', OURS],
    ],
    'all three streams come to us',
  ],
  [
    [
      ['incoming', OURS],
      ['tomorrow', 'https://them.example/'],
      ['outgoing', OURS],
      ['blockchain', OURS],
    ],
    'all three streams come to us',
  ],
  [
    [
      ['outgoing', OURS],
      ['blockchain', OURS],
      ['incoming', 'https://them.example/'],
    ],
    'it delivers to another URL than custody.webhookUrl',
  ],
  [[['incoming', 'https://them.example/']], 'it delivers to another URL than custody.webhookUrl'],
  [
    [
      ['outgoing', OURS],
      ['incoming', OURS],
    ],
    'not subscribed: blockchain',
  ],
  [[['blockchain', OURS]], 'not subscribed: outgoing, incoming'],
  [[['tomorrow', OURS]], 'not subscribed: outgoing, blockchain, incoming'],
];

test.for(SUBSCRIPTIONS)('%o: %s', ([streams, says]) => {
  const rows = streams.map(([stream, webhookUrl]) => ({ stream, webhookUrl }));
  expect(driftText(subscriptionDrift(rows, OURS))).toBe(says);
});
