import { expect, test } from 'vitest';
import { dayOrMoment } from '../../../../src/console/parts/value/moments.ts';
import { consoleUnderTest, words } from '../../console-under-test.ts';

test.for([
  ['2025-11-30', Date.UTC(2025, 10, 30)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['2025-11-30T23:59:59.999Z', Date.UTC(2025, 10, 30, 23, 59, 59, 999)],
  ['2025-11-31', undefined],
  ['2025-02-29', undefined],
  ['2025-11-31T12:00:00Z', undefined],
  ['2025-13-01', undefined],
  ['yesterday', undefined],
] as const)('%s is read as %s', ([text, expected]) => {
  expect(dayOrMoment(text)?.start).toBe(expected);
});

test.for([
  ['/console/books?asOf=2025-11-31', 400, 'is not a day'],
  ['/console/books/statement?vaultId=v1&asset=a&to=2025-11-31', 400, 'is not a day'],
  ['/console/deposits?to=2025-11-31', 400, 'First seen until is not a day'],
  ['/console/withdrawals?to=2025-11-31', 404, 'There is no such status'],
  ['/console/audit?to=2025-11-31', 404, 'There is no such kind of decision, day or fact.'],
] as const)('a day that no calendar has is refused: %s', async ([path, status, text]) => {
  const vera = await (await consoleUnderTest()).as('vera');
  const page = await vera.request(path);
  expect([page.status, words(await page.text())]).toEqual([status, expect.stringContaining(text)]);
});
