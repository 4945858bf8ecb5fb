import type { ReceiverState } from '../../api/health.ts';
import type { Receiver } from './receiver.ts';
import { epochOf, type SharedParts } from './shared-parts.ts';

/** The state of a receiver that shares its journal, for `/readyz` and the console. */
export function receiverState(shared: SharedParts): ReceiverState {
  const { name, receiver, applied, ownerWatch, journalWatch } = shared;
  const { role } = receiver;
  const owner = role?.kind === 'follower' ? (role.owner?.name ?? null) : null;
  return {
    name,
    role: role?.kind ?? 'starting',
    epoch: epochOf(role),
    owner: role?.kind === 'owner' ? name : owner,
    position: applied.position,
    cause: causeOf(receiver) ?? ownerWatch.cause,
    warnings: [
      ...journalWatch.warnings,
      ...(receiver.dutiesWarning === null ? [] : [receiver.dutiesWarning]),
    ],
  };
}

/** Why a receiver does not serve, and what to do. */
function causeOf({ role, nameTaken, outOfService }: Receiver): string | null {
  if (nameTaken !== null) return nameTaken;
  if (role?.kind === 'cut_off') return role.cause;
  return role?.kind === 'diverged' ? role.detail : outOfService;
}
