import { expect, test } from 'vitest';
import { GUIDES, STEPS_AFTER_REVERSAL } from '../../../src/console/breaks/guide/guides.ts';
import { SETTINGS as ALL_SETTINGS } from '../../../src/console/policy/policy-text.ts';
import { BREAK_TYPES } from '../../../src/domain/break/break.ts';
import { readPage } from '../../docs/reading/page.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';
import { severalBreaks } from './several-breaks.ts';

/** Settings whose names are no everyday words. */
const SETTINGS = ALL_SETTINGS.filter((name) => /[A-Z]/.test(name));

/** A text of the documentation as the console writes it: no marks of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/^ *```.*$/gm, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^ *(?:\d+\.|-) /gm, '')
    .replaceAll(/[`*]/g, '')
    .replaceAll('’', "'")
    .replaceAll(/\s+/g, ' ');
}

function sectionOf(type: string): string {
  const { text } = readPage('docs/how-to/handle-each-break.md');
  return plain(text.split(`\n## ${type}\n`)[1]?.split('\n## ')[0] ?? '');
}

test.for(BREAK_TYPES)('what the console says about %s is what the documentation says', (type) => {
  const section = sectionOf(type);
  const { happened, severity, steps } = GUIDES[type];
  expect(section).toContain(`What happened. ${plain(happened)}`);
  expect(section).toContain(severity === undefined ? '' : `How bad. ${plain(severity)}`);
  expect(steps.length).toBeGreaterThan(0);
  for (const step of steps) {
    for (const sentence of plain(step).split(/(?<=[.:]) (?=[A-Z])/)) {
      // The documentation may go on, with a link or a command.
      expect(section).toContain(sentence.replace(/\.$/, ''));
    }
  }
});

test('no guide names a setting of the policy otherwise than the policy page does', () => {
  const texts = Object.values(GUIDES).flatMap(({ happened, steps }) => [happened, ...steps]);
  expect(texts.filter((text) => SETTINGS.some((setting) => text.includes(setting)))).toEqual([]);
});

test('what the console says of a reversal that the feed has made is what the documentation says', () => {
  const section = sectionOf('reversal_after_credit');
  for (const step of STEPS_AFTER_REVERSAL) {
    expect(section).toContain(plain(step).split(/(?<=\.) (?=If)/)[0]);
  }
});

test('the guide has every type, with a link to its open breaks', async () => {
  const console = await consoleUnderTest();
  const page = await (await console.as('vera')).get('/console/breaks/guide');
  for (const type of BREAK_TYPES) {
    expect(page).toContain(`id="${type}"`);
    expect(page).toContain(`href="/console/breaks?type=${type}"`);
  }
  expect(words(page)).toContain('Freeze the amount in the customer’s account.');
});

test('the severity of an unexplained movement is above the steps, and the first step is an act', async () => {
  const console = await severalBreaks();
  const vera = await console.as('vera');
  const [movement] = console.open.breaks().filter(({ type }) => type === 'unexplained_movement');
  for (const path of [`/console/breaks/${movement?.break_id}`, '/console/breaks/guide']) {
    expect(await vera.get(path)).toMatch(
      /<p>A warning for a credit\. Critical for a debit: [^<]*<\/p>\s*<ol class="steps">\s*<li>Call the custody service/,
    );
  }
});
