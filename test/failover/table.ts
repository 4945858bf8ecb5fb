import type { ProofResult } from './proof.ts';
import { FAULT_NAMES } from './faults/rotation.ts';

/** Problems and ids that are shown at most. */
const SHOWN_MAX = 20;

function seconds(ms: number | undefined): string {
  return ms === undefined ? '-' : `${(ms / 1_000).toFixed(2)} s`;
}

function median(sorted: readonly number[]): number | undefined {
  return sorted[Math.floor(sorted.length / 2)];
}

/** The result as a Markdown table with one row for each fault, and the verdict below. */
export function tableOf(result: ProofResult, seed: number): string {
  const { events, verdict, consumed, problems } = result;
  const { acknowledged, lost, doubled, facts, credits } = verdict;
  const rows = FAULT_NAMES.map((name) => {
    const ofName = events.filter((event) => event.name === name);
    const times = ofName.map(({ serveMs }) => serveMs).toSorted((left, right) => left - right);
    const ids = new Set(ofName.flatMap((event) => event.acknowledged));
    const amongst = (some: readonly string[]): number => some.filter((id) => ids.has(id)).length;
    const counts = [ofName.length, ids.size, amongst(lost), amongst(doubled)];
    return [name, ...counts, seconds(median(times)), seconds(times.at(-1))];
  });
  const wrong = [...problems, ...verdict.problems];
  return [
    '| fault | times | acknowledged | lost | doubled | to serve again, median | worst |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    `seed ${seed}: ${events.length} faults, ${acknowledged} acknowledged, ${lost.length} lost, ${doubled.length} doubled, ${wrong.length} other problems`,
    `judged: ${facts} facts in the journal, ${credits} credits in the feed, ${consumed} read by a consumer from both receivers in turn`,
    ...[...lost.map((id) => `lost: ${id}`), ...doubled.map((id) => `doubled: ${id}`)].slice(
      0,
      SHOWN_MAX,
    ),
    ...wrong.slice(0, SHOWN_MAX),
  ].join('\n');
}
