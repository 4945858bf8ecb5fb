import path from 'node:path';
import { z } from 'zod';
import type { Content, FileChecks } from './named-file.ts';

export const text = z.string().min(1, 'must not be empty');

/** A key that holds an integer from `from` to `to`, both included. */
export function whole(from: number, to: number) {
  const range = `must be an integer from ${from} to ${to}`;
  return z.int(range).min(from, range).max(to, range);
}

/** `"${PORT}"` is always a string. */
export const port = z.preprocess(
  (value) => (typeof value === 'string' && /^[0-9]{1,5}$/.test(value) ? Number(value) : value),
  whole(0, 65_535),
);

/** A readable file with the expected content; its path becomes absolute. */
export function fileIn(folder: string, checks: FileChecks, content: Content) {
  return text
    .transform((name) => path.resolve(folder, name))
    .superRefine((name, context) => {
      const flaw = checks.flawOf(name, content);
      if (flaw !== null) context.addIssue({ code: 'custom', message: flaw });
    });
}

/** Whether a list holds no two items with the same key. */
export function unique<Item>(keyOf: (item: Item) => unknown): (items: readonly Item[]) => boolean {
  return (items) => new Set(items.map(keyOf)).size === items.length;
}
