import { breakKey, finding, type Finding } from '../break/break.ts';
import { pinsOf, sameContent } from '../hash/same-changes.ts';
import {
  changeSet,
  sightingIn,
  type ChangeSet,
  type RuleContext,
  type HashState,
} from '../hash/hash-state.ts';
import { entryOf, reversalOf, type Entry, type EntryHead } from '../money/entry.ts';
import type { ChainNotification } from '../fact/notification.ts';
import {
  isFromApiAlone,
  newSighting,
  sightingKeyOf,
  withEntry,
  withEvent,
  type Sighting,
} from '../hash/sighting.ts';

function chainHead(notification: ChainNotification, now: RuleContext): EntryHead {
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

function takeBack(sighting: Sighting, notification: ChainNotification, now: RuleContext): Entry[] {
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

/** The break when a later event changes the balance changes: the chain view is posted again. */
function repostedFinding(notification: ChainNotification): Finding {
  return chainChanged(
    notification,
    `the chain view of ${notification.blockchainHash} was told again with other balance changes; the newest stands`,
  );
}

/**
 * The break when a repeat under another id states other balance changes; it has no other effect.
 */
export function repeatedOtherwise(notification: ChainNotification): Finding {
  const { id, blockchainHash } = notification;
  return chainChanged(
    notification,
    `notification ${id} repeats a known event of the chain view of ${blockchainHash} with other balance changes; the chain view does not change`,
  );
}

/** The chain view after this event: posted on `transaction`, reversed on `rollback`. */
function viewOf(
  sighting: Sighting,
  notification: ChainNotification,
  now: RuleContext,
): { sighting: Sighting; entries: Entry[]; found: Finding[] } {
  const seen = withEvent(sighting, notification, now);
  switch (notification.type) {
    case 'rollback':
      return {
        sighting: withEntry(seen, { entryId: null, posted: [] }),
        entries: takeBack(sighting, notification, now),
        found: [],
      };
    case 'transaction': {
      const list = notification.changes ?? [];
      if (sighting.entryId !== null && sameContent(sighting.posted, list)) {
        return { sighting: seen, entries: [], found: [] };
      }
      // An address list posts part by part; the webhook carries the whole transaction.
      const isWholeNews = sighting.entryId === null || isFromApiAlone(sighting);
      const found = isWholeNews ? [] : [repostedFinding(notification)];
      const taken = takeBack(sighting, notification, now);
      const entry = entryOf(chainHead(notification, now), list);
      return {
        sighting: withEntry(seen, { entryId: entry.entryId, posted: list }),
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

/**
 * Handles a `blockchain` notification (the specification, section "Blockchain stream"): it changes
 * the chain view. `transaction` posts, and `rollback` reverses. `mempool` and `confirmation` post
 * nothing.
 */
export function handleChain(
  hashState: HashState,
  notification: ChainNotification,
  now: RuleContext,
): ChangeSet {
  const key = sightingKeyOf(notification);
  const view = viewOf(sightingIn(hashState, key) ?? newSighting(key), notification, now);
  return changeSet({
    sightings: [view.sighting],
    entries: view.entries,
    found: view.found,
    pinned: pinsOf(notification.changes, now),
  });
}
