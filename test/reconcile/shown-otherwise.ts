import { readTransactions } from '../../src/custody/client.ts';
import type { Stage } from './stage.ts';
import type { TransactionRecord } from '../../src/wire/transaction.ts';

/** From now on the custody API shows each transaction's row as `change` makes it. */
export function showsOtherwise(
  { client }: Pick<Stage, 'client'>,
  change: (row: TransactionRecord) => TransactionRecord,
): void {
  const [one, list] = [client.transaction.bind(client), client.transactions.bind(client)];
  client.transaction = async (...asked) => {
    const answer = await one(...asked);
    return answer.kind === 'ok' ? { ...answer, value: change(answer.value) } : answer;
  };
  client.transactions = async (...asked) => {
    const answer = await list(...asked);
    if (answer.kind !== 'ok') return answer;
    return { ...answer, value: { ...answer.value, rows: answer.value.rows.map(change) } };
  };
}

/** Lets the custody API hide rows while `isOn`: lists omit them, and a look-up by id answers 404. */
export function hides(
  { client }: Pick<Stage, 'client'>,
  isHidden: (row: TransactionRecord) => boolean,
): { isOn: boolean; onlyInLists: boolean } {
  const hidden = { isOn: false, onlyInLists: false };
  const [one, list] = [client.transaction.bind(client), client.transactions.bind(client)];
  client.transaction = async (...asked) => {
    const answer = await one(...asked);
    const isGone = hidden.isOn && !hidden.onlyInLists && answer.kind === 'ok';
    return isGone && isHidden(answer.value) ? { kind: 'not-found' } : answer;
  };
  client.transactions = async (...asked) => {
    const answer = await list(...asked);
    if (answer.kind !== 'ok' || !hidden.isOn) return answer;
    const rows = answer.value.rows.filter((row) => !isHidden(row));
    const total = answer.value.total - (answer.value.rows.length - rows.length);
    return { ...answer, value: { ...answer.value, rows, total } };
  };
  return hidden;
}

/** From now on no list shows a readable row of an own transaction. */
export function garblesOwnRows({ client }: Pick<Stage, 'client'>): void {
  const list = client.transactions.bind(client);
  client.transactions = async (...asked) => {
    const answer = await list(...asked);
    if (answer.kind !== 'ok') return answer;
    const { rows, total, ...at } = answer.value;
    const data = rows.map((row) => (row.type === 'incoming' ? row : { ...row, confirmations: -1 }));
    const read = readTransactions({ data, pagination: { ...at, total } });
    if (read.kind !== 'ok') throw new Error(read.detail);
    return read;
  };
}
