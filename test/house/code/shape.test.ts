import { expect, test } from 'vitest';
import { houseWith, rulesBrokenBy } from './clean-house.ts';
import { houseViolations } from './house.ts';
import { spoken } from './violation.ts';

const long = (lines: number): string =>
  Array.from({ length: lines }, (_, line) => `// ${line}\n\nexport const a${line} = ${line};`).join(
    '\n',
  );

test('351 code lines in a file are too many', () => {
  expect(rulesBrokenBy('src/api/credits.ts', long(351))).toEqual(['long-file']);
});

test('351 code lines in a test are too many', () => {
  expect(rulesBrokenBy('test/api/credits.test.ts', long(351))).toEqual(['long-file']);
});

test.for([
  [16, []],
  [17, ['test/api:1 full-folder: 17 files, at most 16']],
] as const)('%i files in a folder', ([count, found]) => {
  const files = Array.from({ length: count }, (_, at) => ({
    path: `test/api/file${at}.ts`,
    text: 'export const one = 1;',
  }));
  const house = [...houseWith('src/main.ts', 'export const one = 1;'), ...files];
  expect(houseViolations(house).map(spoken)).toEqual(found);
});

test('350 code lines between comments and blank lines are not too many', () => {
  expect(rulesBrokenBy('src/api/credits.ts', long(350))).toEqual([]);
});
