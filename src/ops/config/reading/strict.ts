import { z } from 'zod';
import { canComeFromFile } from './secret-file.ts';

/**
 * An object schema that rejects unknown keys by name, and lists the known ones. `former`: keys of
 * earlier versions, with the text that says what to write instead.
 */
export function strict<Shape extends z.ZodRawShape>(
  shape: Shape,
  former: Readonly<Record<string, string>> = {},
) {
  const known = Object.keys(shape)
    .map((key) => (canComeFromFile(key) ? `${key} or ${key}File` : key))
    .join(', ');
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const instead = issue.keys.find((key) => Object.hasOwn(former, key));
      if (instead !== undefined) return former[instead];
      const unknown = issue.keys.map((key) => JSON.stringify(key)).join(', ');
      return `unknown ${issue.keys.length === 1 ? 'key' : 'keys'} ${unknown}; the keys here are ${known}`;
    },
  });
}
