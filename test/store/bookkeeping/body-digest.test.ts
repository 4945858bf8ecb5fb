import { describe, expect, test } from 'vitest';
import { bodyDigest } from '../../../src/store/bookkeeping/body-digest.ts';
import { change, Service } from '../webhook.ts';

const VALID = { ...new Service().confirmed(1), id: 'ntf' };

function digestOf(body: unknown): string {
  return bodyDigest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
}

describe('the digest of a body', () => {
  test('does not count the timestamp, the order of members, or white space', () => {
    const turned = Object.fromEntries(Object.entries(VALID).toReversed());
    expect(digestOf({ ...turned, timestamp: 1 })).toBe(digestOf(VALID));
    expect(digestOf(JSON.stringify(VALID, null, 2))).toBe(digestOf(VALID));
  });

  const OTHERS: [what: string, more: object][] = [
    ['another value', { confirmations: 2 }],
    ['another member', { extra: null }],
    ['a text for a number', { confirmations: '1' }],
    ['a nested timestamp', { metadata: { timestamp: 1 } }],
    ['the order of a list', { balanceChanges: [change(2n), change(1n)] }],
  ];

  test.for(OTHERS)('distinguishes %s', ([_, more]) => {
    const base = { ...VALID, balanceChanges: [change(1n), change(2n)] };
    expect(digestOf({ ...base, ...more })).not.toBe(digestOf(base));
  });

  test('distinguishes a member named __proto__', () => {
    const text = JSON.stringify(VALID).replace('{', '{"__proto__":{"vaultId":"evil"},');
    expect(digestOf(text)).not.toBe(digestOf(VALID));
  });

  test('of a body nested deeper than 64 levels is a digest of its bytes', () => {
    const deep = (levels: number, space: string): string =>
      `{"id":"a",${space}"x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(digestOf(deep(64, ' '))).toBe(digestOf(deep(64, '')));
    expect(digestOf(deep(65, ' '))).not.toBe(digestOf(deep(65, '')));
    expect(digestOf(deep(65, ''))).toBe(digestOf(deep(65, '')));
  });

  test('is the one that stores hold already, whatever is in the body', () => {
    const text =
      '{"id":"a","timestamp":5,"b":{"z":1,"a":[1.50,-0,1e400,1e21,true,null,"\\u00e9\\n"],"10":{},"9":[]},"__proto__":[[{"b":1,"a":2}],"x"]}';
    expect(digestOf(text)).toBe('DlHV6PwQk-J-4uob-hs_8w');
  });
});
