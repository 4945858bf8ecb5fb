import { breakKey, finding, type Finding } from './break.ts';
import { pinsOf, sameContent } from './content.ts';
import { changes, sightingIn, type Changes, type Circumstances, type Dossier } from './dossier.ts';
import { entryOf, reversalOf, type Entry, type EntryHead } from './entry.ts';
import type { ChainNotification } from './notification.ts';
import {
  isToldByApi,
  newSighting,
  sightingKeyOf,
  standingAs,
  withEvent,
  type Sighting,
} from './sighting.ts';

function chainHead(notification: ChainNotification, now: Circumstances): EntryHead {
  const { vaultId, network, blockchainHash, transactionId } = notification;
  return {
    entryId: now.mint.entry(),
    view: 'chain',
    source: now.source,
    cause: 'chain',
    vaultId,
    network,
    blockchainHash,
    transactionId,
    reverses: null,
  };
}

function takeBack(
  sighting: Sighting,
  notification: ChainNotification,
  now: Circumstances,
): Entry[] {
  if (sighting.entryId === null) return [];
  const head = { ...chainHead(notification, now), reverses: sighting.entryId };
  return [reversalOf(head, sighting.posted)];
}

function chainChanged(notification: ChainNotification, detail: string): Finding {
  const { vaultId, network, blockchainHash, transactionId } = notification;
  return finding('amount_changed', {
    key: breakKey('amount_changed', vaultId, network, blockchainHash),
    subject: { vaultId, network, blockchainHash, transactionId },
    detail,
  });
}

/** Another event of the same hash states other changes: the chain view is posted anew from it. */
function restated(notification: ChainNotification): Finding {
  return chainChanged(
    notification,
    `the chain view of ${notification.blockchainHash} was told again with other balance changes; the newest stands`,
  );
}

/** A known event under another id has no effect; the break says that it stated other changes. */
export function repeatedOtherwise(notification: ChainNotification): Finding {
  const { id, blockchainHash } = notification;
  return chainChanged(
    notification,
    `notification ${id} repeats a known event of the chain view of ${blockchainHash} with other balance changes; the chain view does not change`,
  );
}

/** The chain view after this event: posted on `transaction`, taken back on `rollback`. */
function viewOf(
  sighting: Sighting,
  notification: ChainNotification,
  now: Circumstances,
): { sighting: Sighting; entries: Entry[]; found: Finding[] } {
  const seen = withEvent(sighting, notification, now.source);
  switch (notification.type) {
    case 'rollback':
      return {
        sighting: standingAs(seen, { entryId: null, posted: [] }),
        entries: takeBack(sighting, notification, now),
        found: [],
      };
    case 'transaction': {
      const list = notification.changes ?? [];
      if (sighting.entryId !== null && sameContent(sighting.posted, list)) {
        return { sighting: seen, entries: [], found: [] };
      }
      // The API's list of one address tells a part of it at a time: the webhook tells it whole.
      const isWholeNews = sighting.entryId === null || isToldByApi(sighting);
      const found = isWholeNews ? [] : [restated(notification)];
      const taken = takeBack(sighting, notification, now);
      const entry = entryOf(chainHead(notification, now), list);
      return {
        sighting: standingAs(seen, { entryId: entry.entryId, posted: list }),
        entries: [...taken, entry],
        found,
      };
    }
    case 'mempool':
    case 'confirmation':
      return { sighting: seen, entries: [], found: [] };
    default:
      return notification.type satisfies never;
  }
}

/** What a `blockchain` notification does (spec, "Blockchain stream"): it moves the chain view. */
export function decideChain(
  dossier: Dossier,
  notification: ChainNotification,
  now: Circumstances,
): Changes {
  const key = sightingKeyOf(notification);
  const view = viewOf(sightingIn(dossier, key) ?? newSighting(key), notification, now);
  return changes({
    sightings: [view.sighting],
    entries: view.entries,
    found: view.found,
    pinned: pinsOf(notification.changes, now),
  });
}
