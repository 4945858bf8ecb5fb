import { storedAmount } from '../../domain/money/amount.ts';
import type { CloseRecord } from '../../domain/close/record.ts';
import type { CreditingPolicy, PolicyRule } from '../../domain/policy/policy.ts';
import type { CustodyRecord, CustodySum } from '../../domain/fact/custody-record.ts';
import type { Decision } from '../../domain/fact/decision.ts';
import type { ExemptionRule } from '../../domain/break/exemption.ts';
import type { HeldExemption } from '../../domain/break/held-exemptions.ts';
import type { Fact } from '../../domain/fact/fact.ts';
import type { DecodeBody } from '../port.ts';
import type { JournalRow } from '../records.ts';
import { packChanges, unpackChanges } from './change.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

type Encoded = Omit<JournalRow, 'seq'>;

/** JSON in UTF-8; every bigint becomes a decimal string. */
export function jsonBytes(value: unknown): Uint8Array {
  return encoder.encode(
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'bigint' ? member.toString() : member,
    ),
  );
}

/**
 * A fact as the journal keeps it, without its position. Webhooks keep their raw bytes; custody
 * records and decisions become JSON.
 */
export function encodeFact(fact: Fact): Encoded {
  const { kind, at: recordedAt } = fact;
  switch (fact.kind) {
    case 'notification':
      return { kind, recordedAt, detail: null, body: fact.raw };
    case 'quarantined':
    case 'refused':
      return { kind, recordedAt, detail: fact.defect, body: fact.raw };
    case 'decision':
      return { kind, recordedAt, detail: fact.actor, body: jsonBytes(fact.decision) };
    case 'custody-record':
      return {
        kind,
        recordedAt,
        detail: detailOf(fact.record),
        body: jsonBytes(packRecord(fact.record)),
      };
    default:
      return fact satisfies never;
  }
}

/**
 * `detail` of a close whose report was computed at a journal position. A replay finds these facts
 * by it, without reading every body.
 */
export const CLOSE_DETAIL = 'close';

function detailOf(record: CustodyRecord): string | null {
  return record.kind === 'close' && record.asOf !== undefined ? CLOSE_DETAIL : null;
}

function packRecord(record: CustodyRecord): unknown {
  if (record.kind === 'address') {
    const { changes } = record.movement;
    return {
      ...record,
      movement: { ...record.movement, changes: changes && packChanges(changes) },
    };
  }
  if (!('transaction' in record) || record.transaction === null) return record;
  const { changes } = record.transaction;
  return {
    ...record,
    transaction: { ...record.transaction, changes: changes === null ? null : packChanges(changes) },
  };
}

/** The journal holds the amount as text, although the parsed value claims the domain's type. */
function unpackSum({ asset, amount }: CustodySum): CustodySum {
  return { asset, amount: storedAmount(String(amount)) };
}

function unpackRecord(body: Uint8Array): CustodyRecord {
  const record = JSON.parse(decoder.decode(body)) as CustodyRecord;
  if (record.kind === 'address') {
    const packed = record.movement.changes as unknown;
    const changes = packed === null ? null : unpackChanges(packed);
    return { ...record, movement: { ...record.movement, changes } };
  }
  if (record.kind === 'close') return unpackClose(record);
  if (record.kind === 'movement') return { ...record, sums: record.sums.map(unpackSum) };
  if (!('transaction' in record) || record.transaction === null) return record;
  const packed = record.transaction.changes as unknown;
  return {
    ...record,
    transaction: { ...record.transaction, changes: packed === null ? null : unpackChanges(packed) },
  };
}

/** The journal holds amounts as decimal strings. */
function unpackClose(stored: CloseRecord): CloseRecord {
  const { custody } = stored;
  if (custody.kind === 'not_read') return stored;
  const counted = custody.counted.map((one) => ({
    ...one,
    amounts: one.amounts.map(({ asset, amount }) => ({
      asset,
      amount: storedAmount(amount as unknown as string),
    })),
  }));
  return { ...stored, custody: { ...custody, counted } };
}

type StoredRule = {
  [Key in keyof PolicyRule]?: PolicyRule[Key] extends bigint | null
    ? string | null
    : PolicyRule[Key];
};

const AMOUNT_KEYS = ['minimumAmount', 'oneApprovalAbove', 'twoApprovalsAbove'] as const;

function unpackRule(stored: StoredRule): Partial<PolicyRule> {
  const rule: Record<string, unknown> = { ...stored };
  for (const key of AMOUNT_KEYS) {
    const text = stored[key];
    if (typeof text === 'string') rule[key] = storedAmount(text);
  }
  return rule;
}

function unpackRules(stored: Record<string, StoredRule>): Record<string, Partial<PolicyRule>> {
  return Object.fromEntries(Object.entries(stored).map(([key, rule]) => [key, unpackRule(rule)]));
}

/** A policy as JSON text. Equal policies with members in the same order give equal texts. */
export function packPolicy(policy: CreditingPolicy): string {
  return decoder.decode(jsonBytes(policy));
}

/** Reads what `packPolicy` wrote. Throws for text that is not JSON: the store is damaged. */
export function unpackPolicy(text: string): CreditingPolicy {
  const stored = JSON.parse(text) as {
    vaults?: string[];
    startsAt?: string;
    default: StoredRule;
    networks: Record<string, StoredRule>;
    assets: Record<string, StoredRule>;
  };
  // Members keep their order, because a replay must journal the same bytes again.
  return {
    ...stored,
    default: unpackRule(stored.default) as CreditingPolicy['default'],
    networks: unpackRules(stored.networks),
    assets: unpackRules(stored.assets),
  };
}

/** Exemption rules as JSON text. Equal rules with members in the same order give equal texts. */
export function packExemptions(rules: readonly HeldExemption[]): string {
  return decoder.decode(jsonBytes(rules));
}

/** Reads what `packExemptions` wrote. Throws for text that is not JSON: the store is damaged. */
export function unpackExemptions(text: string): HeldExemption[] {
  return (JSON.parse(text) as HeldExemption[]).map(unpackExemption);
}

/** JSON holds amounts as decimal strings. */
function unpackExemption<Rule extends ExemptionRule>(stored: Rule): Rule {
  const amount: unknown = stored.amount;
  return typeof amount === 'string' ? { ...stored, amount: storedAmount(amount) } : stored;
}

/** The reason that a replay writes for policies of version 1. The text is part of old stores. */
const FIRST_REASON = 'the configuration says so';

/** Reads a decision from its body in the journal. */
export function unpackDecision(body: Uint8Array): Decision {
  const text = decoder.decode(body);
  const decision = JSON.parse(text) as Decision;
  if (decision.kind === 'exemptions') {
    return { ...decision, rules: decision.rules.map(unpackExemption) };
  }
  if (decision.kind === 'exempt') return { ...decision, rule: unpackExemption(decision.rule) };
  if (decision.kind === 'attribute') {
    // Earlier versions left it out: the person who named the owner could also approve.
    const { endsApprovals = false } = decision as Partial<typeof decision>;
    return { ...decision, endsApprovals };
  }
  if (decision.kind !== 'policy') return decision;
  const policy = unpackPolicy(JSON.stringify(decision.policy));
  if (decision.source === 'api') return { ...decision, policy };
  // Version 1 journalled neither: it took every policy from the configuration.
  const { configured = decision.policy, reason = FIRST_REASON } = decision as Partial<
    typeof decision
  >;
  return { ...decision, policy, configured: unpackPolicy(JSON.stringify(configured)), reason };
}

/**
 * Reads a fact from its journal row. Throws when this version cannot read a body that an earlier
 * version understood: this version must not replay that journal.
 */
export function decodeFact(row: JournalRow, decode: DecodeBody): Fact {
  const { kind, recordedAt: at, body: raw } = row;
  switch (kind) {
    case 'notification': {
      const decoded = decode(raw);
      if (decoded.kind !== 'notification') {
        throw new Error(`this version cannot read an accepted notification: ${decoded.defect}`);
      }
      return { kind, at, raw, notification: decoded.notification };
    }
    case 'quarantined': {
      const decoded = decode(raw);
      if (decoded.kind === 'malformed') {
        throw new Error(`this version finds no id in a quarantined body: ${decoded.defect}`);
      }
      const id = decoded.kind === 'quarantined' ? decoded.id : decoded.notification.id;
      return { kind, at, raw, id, defect: row.detail ?? '' };
    }
    case 'refused':
      return { kind, at, raw, defect: row.detail ?? '' };
    case 'decision':
      return { kind, at, actor: row.detail ?? '', decision: unpackDecision(raw) };
    case 'custody-record':
      return { kind, at, record: unpackRecord(raw) };
    default:
      return kind satisfies never;
  }
}
