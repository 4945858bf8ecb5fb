import { TransactionId } from '../../../src/domain/ids.ts';
import type { EventRun, EventHistory } from '../../../src/domain/hash/event-history.ts';

const TYPES = ['mempool', 'transaction', 'confirmation', 'submitted', 'approved', 'mined'] as const;

/** `confirmation:1-8:tx`, `api/confirmation:3:`, `mined::wd-tx`: a run as the tables of tests write it. */
function run(words: string): EventRun {
  const source = words.startsWith('api/') ? 'api' : 'webhook';
  const [typed, counts = '', id = ''] = words.replace('api/', '').split(':');
  const type = TYPES.find((one) => one === typed);
  if (type === undefined) throw new Error(`what event is ${words}?`);
  const transactionId = id === '' ? null : TransactionId(id);
  if (counts === '') return { type, transactionId, source, from: null, to: null };
  const [from = '', to = from] = counts.split('-');
  return { type, transactionId, source, from: Number(from), to: Number(to) };
}

export function runs(...words: string[]): EventHistory {
  return words.map((one) => run(one));
}
