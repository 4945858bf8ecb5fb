import { expect, test } from 'vitest';
import { STREAMS } from '../../src/wire/event-names.ts';
import { listening, statusIn } from '../intake/hooks-under-test.ts';
import { openLedger } from '../store/open-ledger.ts';
import { blocksOf, readPage } from './reading/page.ts';

test('each example of a webhook is accepted, and each stream has one', async () => {
  const bodies = blocksOf(readPage('docs/reference/api.md')).filter(({ file }) => file !== null);
  const { post } = await listening(await openLedger());
  const answers: string[] = [];
  for (const { file, text } of bodies) {
    const { stream } = JSON.parse(text) as { stream: string };
    answers.push(`${file} of ${stream}: ${String(await statusIn(await post(text)))}`);
  }
  const expected = STREAMS.map((stream) => `${stream}.json of ${stream}: accepted`);
  expect(answers.toSorted()).toEqual(expected.toSorted());
});
