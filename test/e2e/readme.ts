import { readFileSync } from 'node:fs';

const README = new URL('../../README.md', import.meta.url);

/** A fenced block as it stands in the README, without the indent of a list that it is in. */
interface Block {
  readonly language: string;
  readonly text: string;
}

/** The blocks below a heading of the README, down to the next heading of its level. */
export function readmeBlocks(heading: string): Block[] {
  const [, section] = readFileSync(README, 'utf8').split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`the README has no section ${heading}`);
  const [body = ''] = section.split('\n## ');
  return [...body.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', language = '', text = '']) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}
