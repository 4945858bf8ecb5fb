import type { Stage, Webhook } from '../stage.ts';

/** A forged rollback of the stage's deposit arrives: a confirmation of it under another id and type. */
export async function forgeRollback(stage: Stage): Promise<void> {
  await stage.deliver({ ...rollbackOf(stage), id: 'forged' });
}

/** The content of a rollback of the stage's deposit, with the id of a confirmation. */
export function rollbackOf(stage: Stage): object {
  const isConfirmation = ({ stream, type }: Webhook): boolean =>
    stream === 'incoming' && type === 'confirmation';
  const confirmation = [...stage.heard.values()].find(isConfirmation);
  return { ...confirmation, type: 'rollback', confirmations: undefined };
}
