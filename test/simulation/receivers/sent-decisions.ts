import type { Fact } from '../../../src/domain/fact/fact.ts';
import { encodeFact } from '../../../src/store/codec/fact.ts';
import type { Submitted } from '../../../src/store/port.ts';
import type { JournalRow } from '../../../src/store/records.ts';
import type { MemoryJournal } from '../../store/replicated/memory-journal.ts';
import { DIED } from '../product/process-state.ts';

type SentDecision = Extract<Fact, { kind: 'decision' }>;

/** Decisions that people sent, each once, and what each answer says of the journal. */
export class SentDecisions {
  readonly #taken: { readonly seq: number; readonly text: string }[] = [];
  /** How often the journal may hold each decision. */
  readonly #keptMax = new Map<string, number>();

  add(fact: SentDecision, outcome: Submitted | typeof DIED): void {
    const text = textOf(encodeFact(fact));
    const isTaken = outcome !== DIED && outcome.kind === 'taken';
    if (isTaken) this.#taken.push({ seq: outcome.seq, text });
    const isOpen =
      outcome === DIED || (outcome.kind === 'unavailable' && outcome.effect === 'unknown');
    this.#keptMax.set(text, (this.#keptMax.get(text) ?? 0) + (isTaken || isOpen ? 1 : 0));
  }

  /** Decisions that are lost, and those that the journal holds although their answers exclude it. */
  problems({ commits }: MemoryJournal): string[] {
    const rows = commits.flatMap((commit) => commit.rows);
    const texts = new Map(rows.map((row) => [row.seq, textOf(row)]));
    const lost = this.#taken.flatMap(({ seq, text }) =>
      texts.get(seq) === text ? [] : [`a decision was answered with ${seq} and is lost: ${text}`],
    );
    const kept = new Map<string, number>();
    for (const text of texts.values()) kept.set(text, (kept.get(text) ?? 0) + 1);
    const excess = [...this.#keptMax].flatMap(([text, keptMax]) =>
      (kept.get(text) ?? 0) <= keptMax
        ? []
        : [`a decision was kept in spite of its answer: ${text}`],
    );
    return [...lost, ...excess];
  }
}

function textOf({
  kind,
  recordedAt,
  detail,
  body,
}: Pick<JournalRow, 'kind' | 'recordedAt' | 'detail' | 'body'>): string {
  return JSON.stringify([kind, recordedAt, detail, Buffer.from(body).toString('utf8')]);
}
