import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, ID_CHARACTERS_MAX } from '../../src/intake/decode.ts';
import { change, Service } from '../store/webhook.ts';

const encoder = new TextEncoder();
const VALID = { ...new Service().confirmed(1), id: 'ntf' };

function read(body: unknown): ReturnType<typeof decode> {
  return decode(encoder.encode(typeof body === 'string' ? body : JSON.stringify(body)));
}

/** `notification`, or the kind and what was wrong. */
function decodedText(body: unknown): string {
  const decoded = read(body);
  return decoded.kind === 'notification' ? 'notification' : `${decoded.kind}: ${decoded.defect}`;
}

describe('refused, for nothing could ever recognise it again', () => {
  const MALFORMED: [what: string, body: string | Uint8Array, defect: RegExp][] = [
    ['an empty body', '', /not JSON/],
    ['no JSON', 'hello', /not JSON/],
    ['a truncated body', JSON.stringify(VALID).slice(0, -2), /not JSON/],
    ['two values', '{} {}', /not JSON/],
    ['single quotes', "{'id':'a'}", /not JSON/],
    ['a byte order mark', `\uFEFF${JSON.stringify(VALID)}`, /byte order mark/],
    ['invalid UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), /not valid UTF-8/],
    ['an overlong NUL', new Uint8Array([0x22, 0xc0, 0x80, 0x22]), /not valid UTF-8/],
    ['a surrogate in UTF-8', new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), /not valid UTF-8/],
    ['UTF-16', Buffer.from(JSON.stringify(VALID), 'utf16le'), /not JSON|not valid UTF-8/],
    ['a NUL byte', '\u0000', /not JSON/],
    ['null', 'null', /not a JSON object/],
    ['a number', '1', /not a JSON object/],
    ['a string', '"id"', /not a JSON object/],
    ['an array', '[{"id":"a"}]', /not a JSON object/],
    ['no id', '{"stream":"incoming"}', /no string "id"/],
    ['a number as id', '{"id":7}', /no string "id"/],
    ['a null id', '{"id":null}', /no string "id"/],
    ['an object as id', '{"id":{"id":"a"}}', /no string "id"/],
    ['an id in __proto__ only', '{"__proto__":{"id":"a"}}', /no string "id"/],
    ['an empty id', '{"id":""}', /"id" is empty/],
    ['100,000 open brackets', '['.repeat(100_000), /not JSON/],
  ];

  test.for(MALFORMED)('%s', ([_, body, defect]) => {
    const decoded = body instanceof Uint8Array ? decode(body) : read(body);
    expect(decoded.kind).toBe('malformed');
    expect('defect' in decoded && decoded.defect).toMatch(defect);
  });
});

describe('kept aside, for a later version may understand it', () => {
  const deep = (levels: number): unknown =>
    JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

  const QUARANTINED: [what: string, body: unknown, defect: RegExp][] = [
    ['an unknown stream', { ...VALID, stream: 'staking' }, /stream/],
    ['an unknown type', { ...VALID, type: 'finalized' }, /type/],
    ['no stream', { id: 'a' }, /stream/],
    ['an amount as a number', { ...VALID, balanceChanges: [{ asset: 'a', amount: 5 }] }, /amount/],
    ['an amount with a point', { ...VALID, balanceChanges: [change('1.0')] }, /amount/],
    ['an amount in scientific notation', { ...VALID, balanceChanges: [change('1e3')] }, /amount/],
    ['79 digits', { ...VALID, balanceChanges: [change('1'.repeat(79))] }, /amount/],
    ['no vault', { ...VALID, vaultId: undefined }, /vaultId/],
    ['no hash on incoming', { ...VALID, blockchainHash: undefined }, /blockchainHash/],
    ['a count as text', { ...VALID, confirmations: '1' }, /confirmations/],
    ['a negative count', { ...VALID, confirmations: -1 }, /confirmations/],
    ['a count beyond exact integers', { ...VALID, confirmations: 2 ** 53 }, /confirmations/],
    ['a NUL in the id', { ...VALID, id: 'a\u0000b' }, /id: holds a NUL/],
    ['a NUL in the hash', { ...VALID, blockchainHash: '0x\u0000' }, /blockchainHash: holds a NUL/],
    [
      'a NUL in an entry',
      { ...VALID, balanceChanges: [change(1n, { asset: 'a\u0000' })] },
      /balanceChanges.0: holds a NUL/,
    ],
    ['too long an id', { ...VALID, id: 'x'.repeat(ID_CHARACTERS_MAX + 1) }, /longer than 256/],
    [
      'a lone surrogate in an entry',
      { ...VALID, balanceChanges: [change(1n), change(1n, { account: { id: '\ud800' } })] },
      /balanceChanges.1: holds a NUL or a lone surrogate/,
    ],
    ['absurd nesting', { ...VALID, metadata: deep(100_000) }, /nested deeper/],
    ['an id and nothing else but depth', { id: 'a', deep: deep(65) }, /nested deeper/],
  ];

  test.for(QUARANTINED)('%s', ([_, body, defect]) => {
    // Deep values cannot be stringified recursively; they are spliced in as text.
    const nested = (body as { metadata?: unknown }).metadata;
    const text =
      nested === undefined
        ? JSON.stringify(body)
        : JSON.stringify({ ...(body as object), metadata: 0 }).replace(
            '"metadata":0',
            `"metadata":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
          );
    expect(decodedText(text)).toMatch(/^quarantined/);
    expect(decodedText(text)).toMatch(defect);
  });

  test('a lone surrogate in the id differs from another one', () => {
    const one = read('{"id":"\\ud800"}');
    const other = read('{"id":"\\ud801"}');
    expect([one.kind, other.kind]).toEqual(['quarantined', 'quarantined']);
    expect(one.kind === 'quarantined' && one.id).not.toBe(other.kind === 'quarantined' && other.id);
  });

  test('only names with a NUL or a lone surrogate, in any escaped form', () => {
    const unit = fc.constantFrom(
      'a',
      '\0',
      '\u0001',
      '\ud83d',
      '\ude00',
      '😀',
      '\\',
      'u0000',
      '"',
      'é',
    );
    const escaped = (text: string): string =>
      JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (sign) => {
        const units = Array.from({ length: sign.length }, (_, at) => sign.charCodeAt(at));
        return units.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('');
      });
    const written = fc.constantFrom(escaped, (text: string) => JSON.stringify(text));
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1 }), written, (units, write) => {
        const vaultId = units.join('');
        const text = JSON.stringify({ ...VALID, vaultId: 0 }).replace(
          '"vaultId":0',
          () => `"vaultId":${write(vaultId)}`,
        );
        const unstorable = vaultId.includes('\0') || Buffer.from(vaultId).toString() !== vaultId;
        const decoded = read(text);
        expect(decoded).toMatchObject(
          unstorable
            ? { kind: 'quarantined', defect: 'vaultId: holds a NUL or a lone surrogate' }
            : { kind: 'notification', notification: { vaultId } },
        );
      }),
    );
  });

  test('a body that is nothing but flaws, more of them than a stack holds', () => {
    const tags = `[${Array(350_000).fill('null').join()}]`;
    const text = JSON.stringify({ ...VALID, balanceChanges: [change(1n, { tags: [] })] });
    expect(decodedText(text.replace('"tags":[]', `"tags":${tags}`))).toBe(
      `quarantined: ${[0, 1, 2]
        .map((at) => `balanceChanges.0.tags.${at}: must be a text`)
        .join('; ')}`,
    );
  });

  test('a defect stays short for any body', () => {
    const many = { ...VALID, balanceChanges: Array.from({ length: 1_000 }, () => ({})) };
    const decoded = read(many);
    expect(decoded.kind === 'quarantined' && decoded.defect.length).toBeLessThanOrEqual(500);
  });
});

describe('understood', () => {
  const UNDERSTOOD: [what: string, body: unknown][] = [
    ['a plain notification', VALID],
    [
      'fields and tags nobody knows',
      { ...VALID, extra: { a: [1] }, balanceChanges: [change(1n, { tags: ['new', 'erc20'] })] },
    ],
    ['256 characters of id', { ...VALID, id: 'x'.repeat(256) }],
    ['256 characters of id outside the basic plane', { ...VALID, id: '😀'.repeat(256) }],
    ['an id of white space', { ...VALID, id: ' ' }],
    ['an id named like a member of Object', { ...VALID, id: 'constructor' }],
    ['78 digits', { ...VALID, balanceChanges: [change('-' + '9'.repeat(78))] }],
    [
      'null where a field may be absent',
      { ...VALID, memo: null, reference: null, accountId: null },
    ],
    [
      'a quorum and approvals of a shape that nothing shows',
      {
        ...new Service().outgoing('approved'),
        quorum: { required: 2, of: 3 },
        approvals: ['ann', 7],
      },
    ],
    ['a whole megabyte', { ...VALID, metadata: { text: 'x'.repeat(1_048_000) } }],
  ];

  test.for(UNDERSTOOD)('%s', ([_, body]) => {
    expect(decodedText(body)).toBe('notification');
  });

  test('the last of two equal keys counts, as in JSON.parse', () => {
    const text = JSON.stringify(VALID).replace('"id":"ntf"', '"id":"first","id":"last"');
    const decoded = read(text);
    expect(decoded.kind === 'notification' && decoded.notification.id).toBe('last');
  });

  test('huge numbers in fields that nobody reads do no harm', () => {
    const text = JSON.stringify(VALID).replace(
      '{',
      '{"huge":1e400,"long":123456789012345678901234567890,',
    );
    expect(decodedText(text)).toBe('notification');
  });

  test('__proto__ is a member like any other, and nobody reads it', () => {
    const decoded = read(JSON.stringify(VALID).replace('{', '{"__proto__":{"vaultId":"evil"},'));
    expect(decoded.kind === 'notification' && decoded.notification.vaultId).toBe('v1');
  });
});

describe('nesting', () => {
  const list = (levels: number, inside = ''): string =>
    `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`;
  const bodyWith = (members: string): string => JSON.stringify(VALID).replace('{', `{${members},`);

  const NESTED: [what: string, members: string, isDeep: boolean][] = [
    ['64 levels', `"x":${list(64)}`, false],
    ['65 levels', `"x":${list(65)}`, true],
    ['65 levels behind many that are closed', `"y":[${'[],'.repeat(99)}1],"x":${list(65)}`, true],
    ['64 levels around brackets in a text', `"x":${list(64, '"[[{{"')}`, false],
    ['65 levels behind a text with brackets', `"y":"]]]","x":${list(65)}`, true],
    ['65 levels behind an escaped quote', `"y":"\\"]]]","x":${list(65)}`, true],
    ['64 levels behind an escaped backslash', `"y":"\\\\","x":${list(64, '"["')}`, false],
    ['65 levels that another member of the name replaces', `"x":${list(65)},"x":1`, false],
  ];

  test.for(NESTED)('%s', ([_, members, isDeep]) => {
    expect(decodedText(bodyWith(members))).toBe(
      isDeep ? 'quarantined: body: nested deeper than 64 levels' : 'notification',
    );
  });

  test('in the timestamp is no more than a flaw of it', () => {
    const text = JSON.stringify({ ...VALID, timestamp: 0 });
    expect(decodedText(text.replace('"timestamp":0', `"timestamp":${list(65)}`))).toBe(
      'quarantined: timestamp: must be a number',
    );
  });
});
