import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Metrics } from '../../src/ops/metrics/metrics.ts';
import { WHOLE } from '../../src/ops/config/config.ts';
import { REPOSITORY } from '../house/source.ts';

/** Names that a page does not show in code marks. */
export function unnamed(names: readonly string[], text: string): string[] {
  const marked = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return names.filter(
    (name) => !marked.some((code) => code === name || code.startsWith(`${name}{`)),
  );
}

/** Every metric of Counterfoil; the metrics of the process are named by Node. */
export async function metricNames(): Promise<string[]> {
  const { text } = await new Metrics({ now: () => 0 }).page();
  return [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name = '']) => name);
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
}

/** For tests of keys alone: the files that a configuration names are not there. */
export const ANY_FILE = { flawOf: () => null, pairFlaw: () => null };

/** Every key of the configuration by its path; keys of a list's or a record's members by themselves. */
export function configurationKeys(): string[] {
  const schema = z.toJSONSchema(WHOLE.schemaIn('/', ANY_FILE), {
    io: 'input',
    unrepresentable: 'any',
  }) as JsonSchema;
  return [...new Set(keysOf(schema, ''))].toSorted();
}

function keysOf(schema: JsonSchema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const path = `${prefix}${key}`;
    if (inner.properties !== undefined && path !== 'crediting.default') {
      return keysOf(inner, `${path}.`);
    }
    return [path, ...memberKeys(inner)];
  });
}

/** Of a rule, an exemption or a token; a list's member may be named alone or after its list. */
function memberKeys(schema: JsonSchema): string[] {
  const { items, additionalProperties } = schema;
  if (items !== undefined) return keysOf(items, '');
  return typeof additionalProperties === 'object' ? keysOf(additionalProperties, '') : [];
}

export function tableNames(): string[] {
  const text = readFileSync(join(REPOSITORY, 'schema.sql'), 'utf8');
  return [...text.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name = '']) => name);
}

/** The alerts of the example rules for Prometheus. */
export function alertNames(): string[] {
  const rules = readFileSync(join(REPOSITORY, 'config/alerts/counterfoil.yml'), 'utf8');
  return [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
}
