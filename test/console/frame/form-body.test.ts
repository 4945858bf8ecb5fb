import { expect, test } from 'vitest';
import { consoleUnderTest, OWN_PAGE } from '../console-under-test.ts';

const BROKEN = [
  ['multipart without a boundary', 'multipart/form-data', 'reason=asked'],
  ['multipart that is cut off', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: f'],
  ['multipart of another boundary', 'multipart/form-data; boundary=b', '--c\r\n\r\n--c--'],
] as const;

test.for(BROKEN)('a form as %s is answered 400 and does nothing', async ([, type, body]) => {
  const console = await consoleUnderTest();
  const olga = await console.as('olga');
  const headers = { ...OWN_PAGE, 'Content-Type': type, Accept: 'text/html' };
  for (const [browser, path] of [
    [olga, '/console/runs'],
    [console.stranger, '/console/runs'],
    [console.stranger, '/console/session'],
  ] as const) {
    const answer = await browser.request(path, { method: 'POST', headers, body });
    expect([path, answer.status]).toEqual([path, 400]);
    expect(await answer.text()).toBe(
      'The body is not a form that can be read: send the form again from its page.',
    );
  }
  expect(console.open.rows('SELECT * FROM reconciliations')).toEqual([]);
});

test('a form as multipart does the same as any other', async () => {
  const console = await consoleUnderTest();
  const olga = await console.as('olga');
  const body = new FormData();
  body.set('reason', 'asked');
  const answer = await olga.request('/console/runs', { method: 'POST', headers: OWN_PAGE, body });
  expect(answer.status).toBe(303);
  expect(console.open.rows('SELECT * FROM reconciliations')).toHaveLength(1);
});
