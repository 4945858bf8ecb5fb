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
