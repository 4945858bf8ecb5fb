import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkReportCommand } from '../../src/commands/check-report/check-report.ts';
import type { DailyReport } from '../../src/domain/close/report.ts';
import type { CloseSignature } from '../../src/domain/close/signature.ts';
import { jsonText } from '../../src/report/json.ts';
import { reportHashOf } from '../../src/store/close/close-day.ts';
import { REPORT } from '../report/report-under-test.ts';

const SIGNED_AT = Date.parse('2025-11-21T08:00:00Z');

/** A report's download, with both signatures unless the test gives others. */
function download(
  report: DailyReport,
  people: Partial<Record<CloseSignature['role'], string>> = { preparer: 'ann', reviewer: 'bob' },
): { readonly text: string; readonly reportHash: string } {
  const sealed = JSON.stringify(report);
  const reportHash = reportHashOf(sealed);
  const signatures = (['preparer', 'reviewer'] as const).flatMap((role) => {
    const person = people[role];
    if (person === undefined) return [];
    return [{ role, person, reason: 'read "it"', reportHash, signedAt: SIGNED_AT }];
  });
  const movements = { items: [], isWhole: true };
  return { text: jsonText({ report, sealed, reportHash, signatures, movements }), reportHash };
}

/** What the command prints of these files, named `1.json` and so on, and its exit code. */
async function checked(texts: readonly string[]): Promise<{ lines: string[]; code: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = texts.map((text, index) => {
    const path = join(folder, `${index + 1}.json`);
    writeFileSync(path, text);
    return path;
  });
  const printed: string[] = [];
  let code = 0;
  const command = checkReportCommand({
    signals: new EventEmitter(),
    result: (text) => void printed.push(text),
    note: () => undefined,
    exitWith: (given) => void (code = given),
  });
  await command.parseAsync(paths, { from: 'user' });
  const lines = printed.join('\n').replaceAll(`${folder}/`, '').split('\n');
  return { lines, code };
}

const FIRST: DailyReport = { ...REPORT, previous: null };
const HASH = download(FIRST).reportHash;
const OK = [
  '1.json: 2025-11-20, exceptions',
  `  ok      hash: the SHA-256 of the text is ${HASH}`,
  '  ok      figures: 3 totals roll forward from the opening to the closing',
  '  ok      signatures: prepared by ann, 2025-11-21T08:00:00.000Z; reviewed by bob, 2025-11-21T08:00:00.000Z',
  '  ok      day before: this is the first closed day',
  'Not proved by files: who signed. Ask both signers, by another way, for the hash that they signed.',
];

test('a signed report agrees with itself; the last line says what no file proves', async () => {
  expect(await checked([download(FIRST).text])).toEqual({ lines: OK, code: 0 });
  // The program prints a report with a line's end.
  expect(await checked([`${download(FIRST).text}\n`])).toEqual({ lines: OK, code: 0 });
});

test('a changed figure is found by the hash and by the roll-forward', async () => {
  const { text } = download(FIRST);
  const { lines, code } = await checked([
    text.replace('"deposits":"2000000000000000000"', '"deposits":"2000000000000000001"'),
  ]);
  expect(lines[1]).toMatch(
    new RegExp(`^  PROBLEM hash: the text was changed: its SHA-256 is [0-9a-f]{64}, .*${HASH}$`),
  );
  expect(lines[2]).toBe(
    '  PROBLEM figures: hot 1:main ethereum:ETH rolls forward to 2699979000000000003, not to 2699979000000000002',
  );
  expect(code).toBe(1);
});

test.for([
  [{}, 'nobody has prepared it; nobody has reviewed it'],
  [{ preparer: 'ann' }, 'nobody has reviewed it'],
  [{ preparer: 'ann', reviewer: 'ann' }, 'ann prepared and reviewed it'],
] as const)('the signatures of %o are a problem: %s', async ([people, problem]) => {
  const { lines, code } = await checked([download(FIRST, people).text]);
  expect(lines[3]).toBe(`  PROBLEM signatures: ${problem}`);
  expect(code).toBe(1);
});

test('a signature under another hash is a problem', async () => {
  const other = 'ef'.repeat(32);
  const { text } = download(FIRST);
  const moved = text.replaceAll(
    `"reportHash":"${HASH}","signedAt"`,
    `"reportHash":"${other}","signedAt"`,
  );
  const { lines } = await checked([moved]);
  expect(lines[3]).toContain(
    `PROBLEM signatures: ann signed another report, ${HASH} is not its hash`,
  );
});

test('the file of the day before is compared by its hash and its closings', async () => {
  const before = download(FIRST);
  const next = (previousHash: string, moved = '0'): DailyReport => ({
    ...REPORT,
    day: '2025-11-21',
    previous: { day: '2025-11-20', reportHash: previousHash },
    totals: REPORT.totals.map((total) => ({
      ...total,
      opening: total.closing,
      closing: (2n * BigInt(total.closing) - BigInt(total.opening) + BigInt(moved)).toString(),
    })),
  });
  const good = download(next(before.reportHash)).text;
  expect((await checked([good, before.text])).lines[4]).toBe(
    '  ok      day before: 2025-11-20 has the hash that this report names',
  );
  const alone = await checked([good]);
  expect(alone.lines[4]).toBe(
    `  warning day before: 2025-11-20 is not among the files; its reportHash must be ${HASH}`,
  );
  expect(alone.code).toBe(0);
  const other = await checked([download(next('ef'.repeat(32))).text, before.text]);
  expect(other.lines[4]).toContain('PROBLEM day before: 2025-11-20 is another report here');
  const unlike = download({ ...next(before.reportHash), totals: REPORT.totals }).text;
  expect((await checked([unlike, before.text])).lines[4]).toContain(
    'hot 1:main ethereum:ETH opens with 1500000000000000000, and 2025-11-20 closed with 2699979000000000002',
  );
});

test.for([
  ['', 'an empty file'],
  ['<!doctype html>', 'a page'],
  ['record,day\r\n', 'a CSV'],
] as const)('%s is not JSON: %s', async ([text]) => {
  await expect(checked([text])).rejects.toThrow(
    '1.json is not JSON, and only the JSON of a report can be checked: download it as JSON',
  );
});

test.for([
  ['{"day":"2025-11-20"}', 'another JSON'],
  [JSON.stringify(JSON.parse(download(FIRST).text), null, 2), 'a report that was written anew'],
] as const)('%s is no download: %s', async ([text]) => {
  await expect(checked([text])).rejects.toThrow(
    '1.json is no report as it was downloaded as JSON: another program may have written it anew.',
  );
});

test('a file that is not there is bad usage', async () => {
  const command = checkReportCommand({
    signals: new EventEmitter(),
    result: () => undefined,
    note: () => undefined,
    exitWith: () => undefined,
  });
  await expect(command.parseAsync(['gone.json'], { from: 'user' })).rejects.toThrow(
    'gone.json cannot be read: name a report that was downloaded as JSON',
  );
});
