import { readFileSync } from 'node:fs';

const README = new URL('../../README.md', import.meta.url);

/** The text below a heading of the README, down to the next heading of its level. */
export function readmeSection(heading: string): string {
  const [, section] = readFileSync(README, 'utf8').split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`the README has no section ${heading}`);
  return section.split('\n## ')[0] ?? '';
}

/** The fenced blocks of a language in a section, without the indent of a list that they are in. */
export function readmeBlocks(heading: string, language: string): string[] {
  const fences = /^( *)```(\w*)\n(.*?)^\1```$/gms;
  return [...readmeSection(heading).matchAll(fences)]
    .filter(([, , written]) => written === language)
    .map(([, indent = '', , text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}
