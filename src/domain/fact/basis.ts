import type { Decision } from './decision.ts';

/** A part of a record that a decision depends on, and its name in a sentence. */
type Part = readonly [
  name: string,
  value: string | number | boolean | null | readonly (string | null)[],
];

/**
 * The version of a record: the values of the parts that a decision depends on. Other changes, such
 * as one more confirmation, leave it as it is. Programs send it back unread, as `basis`.
 */
export function versionText(parts: readonly Part[]): string {
  return JSON.stringify(parts.map(([, value]) => value));
}

function valuesIn(basis: string): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(basis);
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}

function shown(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(String).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * What changed since a person read the version `basis`, and what to do: `its amount was 100 and is
 * 120 now: …`. Null when nothing changed, or when the decision names no basis.
 */
export function changedSince(parts: readonly Part[], basis: string | undefined): string | null {
  if (basis === undefined || basis === versionText(parts)) return null;
  const before = valuesIn(basis);
  if (before.length !== parts.length) {
    return 'the basis is none of its versions: read it again, and send its version unchanged';
  }
  const changes = parts.flatMap(([name, value], index) => {
    const [was, is] = [before[index], value];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return [`its ${name} was ${shown(was)} and is ${shown(is)} now`];
  });
  return `it changed since you read it: ${changes.join('; ')}. Nothing was done: read it again, then decide`;
}

/**
 * Removes the basis of a decision. A journal holds only decisions whose basis was current. A later
 * program may write the version of a record in another form.
 */
export function withoutBasis(decision: Decision): Decision {
  if (!('basis' in decision)) return decision;
  const { basis: _, ...rest } = decision;
  return rest;
}
