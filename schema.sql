-- Counterfoil: the tables, for whoever audits them.
--
-- Three rules hold everywhere:
--   1. Amounts are decimal integer TEXT in the asset's smallest unit, of up to 78 digits. They are
--      never summed in SQL: SQLite's integers end at 64 bits and its sums turn into floats.
--   2. Everything below "projections" is a function of the journal. `counterfoil verify` replays
--      the journal into an empty store and compares; `counterfoil rebuild` replaces the tables.
--   3. What has happened is never edited. Triggers refuse UPDATE and DELETE on the journal, its
--      seals, ledger entries, postings, the credit feed and closed days; a mistake is reversed by a
--      new entry.
--
-- What a column may hold is written with OR: of a list of three values and more after IN, SQLite
-- makes a table anew for every row that it checks.
--
-- Times are Unix milliseconds (UTC). Identifiers compare byte by byte (BINARY collation).

-- ---------------------------------------------------------------------------------------------
-- The journal: every fact, in the one order in which it took effect.
-- ---------------------------------------------------------------------------------------------

-- kind:
--   notification    a webhook that was understood; body: its bytes exactly as received
--   quarantined     a webhook with an id that was not understood; body: its bytes
--   refused         a delivery answered 400 (not a notification at all); body: its first 64 KiB
--   custody-record  evidence from the custody API that changed something; body: JSON
--   decision        what a person, a consumer or the configuration decided; body: JSON
-- detail: for quarantined and refused what is wrong with it, for a decision its actor.
-- body_start, body_bytes: where its body is among the bytes of its block in `bodies`.
CREATE TABLE journal (
  seq         INTEGER PRIMARY KEY,
  kind        TEXT    NOT NULL CHECK (kind = 'notification' OR kind = 'quarantined' OR
                                      kind = 'refused' OR kind = 'custody-record' OR
                                      kind = 'decision'),
  recorded_at INTEGER NOT NULL,
  detail      TEXT,
  body_start  INTEGER NOT NULL,
  body_bytes  INTEGER NOT NULL
) STRICT;
-- The decisions of everybody, for the list of them: they are few among the facts.
CREATE INDEX journal_decisions ON journal (detail, seq) WHERE kind = 'decision';

-- The bodies of some facts of one commit, first_seq to last_seq, one after the other, as zlib packs
-- them (RFC 1950); bytes: how many they are unpacked. Between them may stand what came with them and
-- made no fact: repeats and refused bodies. In the shell `sqlite3` a body is
--   SELECT CAST(substr(sqlar_uncompress(content, bytes), body_start + 1, body_bytes) AS TEXT)
--   FROM journal JOIN bodies ON seq BETWEEN first_seq AND last_seq WHERE seq = 1;
CREATE TABLE bodies (
  first_seq INTEGER PRIMARY KEY REFERENCES journal (seq),
  last_seq  INTEGER NOT NULL REFERENCES journal (seq),
  bytes     INTEGER NOT NULL,
  content   BLOB    NOT NULL
) STRICT;

-- One row per commit. hash = SHA-256(previous_hash ‖ first_seq ‖ last_seq ‖ sealed_at ‖ for every
-- fact: seq ‖ recorded_at ‖ kind ‖ detail ‖ body). Integers are 8 bytes, big-endian. kind and body
-- are their length and then their bytes (text as UTF-8); detail is one byte 0 when it is NULL, else
-- one byte 1, its length and its bytes. Changing, dropping or moving any fact breaks the chain from
-- that commit on.
CREATE TABLE seals (
  commit_number INTEGER PRIMARY KEY,
  first_seq     INTEGER NOT NULL REFERENCES journal (seq),
  last_seq      INTEGER NOT NULL REFERENCES journal (seq),
  sealed_at     INTEGER NOT NULL,
  previous_hash BLOB    NOT NULL CHECK (length(previous_hash) = 32),
  hash          BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;

-- ---------------------------------------------------------------------------------------------
-- Projections: hashes, notifications and what was kept aside.
-- ---------------------------------------------------------------------------------------------

-- The blockchain hashes that facts have told of, in the order in which they first did. Whatever is
-- kept by hash is kept by hash_id: hashes are random, and what is new belongs together on disk.
-- hash_id: the place in the journal of the fact that told of it first, times 1,000,000, and one more
-- for each further hash of that fact. By hash they are found through `keys` (space 2).
CREATE TABLE hashes (
  hash_id         INTEGER PRIMARY KEY,
  network         TEXT    NOT NULL,
  blockchain_hash TEXT    NOT NULL
) STRICT;

-- The first notification of every id: the first layer of deduplication. By id they are found
-- through `keys` (space 1); `counterfoil verify` checks that no id is here twice.
-- status: accepted; duplicate (known content under another id); quarantined.
CREATE TABLE notifications (
  seq             INTEGER PRIMARY KEY REFERENCES journal (seq),
  id              TEXT    NOT NULL,
  status          TEXT    NOT NULL CHECK (status = 'accepted' OR status = 'duplicate' OR
                                          status = 'quarantined'),
  stream          TEXT,
  type            TEXT,
  vault_id        TEXT,
  hash_id         INTEGER REFERENCES hashes (hash_id),
  transaction_id  TEXT,
  confirmations   INTEGER,
  received_at     INTEGER NOT NULL
) STRICT;
-- For lists: the few that are not accepted.
CREATE INDEX notifications_by_status ON notifications (status) WHERE status <> 'accepted';
CREATE INDEX notifications_by_hash ON notifications (hash_id) WHERE hash_id IS NOT NULL;

-- Which spans of 8,192 facts hold notifications of a vault, to list them: span is seq / 8192. An index
-- of every notification by vault would write a page of its own for nearly each of them.
CREATE TABLE vault_spans (
  vault_id TEXT    NOT NULL,
  span     INTEGER NOT NULL,
  PRIMARY KEY (vault_id, span)
) STRICT, WITHOUT ROWID;

-- Bodies kept aside: not understood, or another body under an id already taken. An operator can
-- retry one after an upgrade; it then takes effect as if it arrived at that moment.
CREATE TABLE quarantine (
  quarantine_id   TEXT    PRIMARY KEY,
  seq             INTEGER NOT NULL REFERENCES journal (seq),
  notification_id TEXT    NOT NULL,
  digest          TEXT    NOT NULL,
  defect          TEXT    NOT NULL,
  state           TEXT    NOT NULL CHECK (state IN ('kept', 'retried')),
  received_at     INTEGER NOT NULL,
  retried_at      INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX quarantine_by_content ON quarantine (notification_id, digest);

-- What one stream has told about a hash at one position: the second layer of deduplication.
-- epoch: how often the hash was rolled back here.
-- seen: the events of this epoch as a JSON array of runs, [type, transactionId, from, to]: every count
--   of confirmations from `from` to `to`, both null for an event that has none. A fifth member "api"
--   is on what the custody API told in a webhook's place. Runs are as long as they can be and ordered
--   by type, transaction, teller and count, so that the order of arrival leaves no trace.
-- entry_id and posted: the ledger entry that stands for it and its balance changes, as JSON arrays:
--   [asset, amount, kind, decimals] at this row's account, address and memo, elsewhere
--   [asset, amount, kind, account_id, address_id, memo, decimals].
-- Absent account, address and memo are '' here, so that the key has no NULLs.
CREATE TABLE sightings (
  hash_id         INTEGER NOT NULL REFERENCES hashes (hash_id),
  vault_id        TEXT    NOT NULL,
  stream          TEXT    NOT NULL,
  account_id      TEXT    NOT NULL,
  address_id      TEXT    NOT NULL,
  memo            TEXT    NOT NULL,
  epoch           INTEGER NOT NULL,
  seen            TEXT    NOT NULL,
  entry_id        INTEGER REFERENCES entries (entry_id),
  posted          TEXT    NOT NULL,
  PRIMARY KEY (hash_id, vault_id, stream, account_id, address_id, memo)
) STRICT, WITHOUT ROWID;

-- ---------------------------------------------------------------------------------------------
-- Projections: the ledger.
-- ---------------------------------------------------------------------------------------------

-- Ledger accounts. kind `position` is custody money at (vault, account?, address?, memo?, asset);
-- world, network-fees, rebates, mints and suspense are its counterparts, one set per vault.
-- view: `books` (from outgoing/mined and incoming) or `chain` (from the blockchain stream).
CREATE TABLE ledger_accounts (
  ledger_account INTEGER PRIMARY KEY,
  view           TEXT    NOT NULL CHECK (view IN ('books', 'chain')),
  kind           TEXT    NOT NULL CHECK (kind = 'position' OR kind = 'world' OR
                                         kind = 'network-fees' OR kind = 'rebates' OR
                                         kind = 'mints' OR kind = 'suspense'),
  vault_id       TEXT    NOT NULL,
  account_id     TEXT    NOT NULL,
  address_id     TEXT    NOT NULL,
  memo           TEXT    NOT NULL,
  asset          TEXT    NOT NULL,
  -- In this order: the round over a vault's addresses goes on from any of them.
  UNIQUE (vault_id, address_id, account_id, memo, asset, view, kind)
) STRICT;

-- Entries: balanced sets of postings. reverses: the entry that this one takes back.
-- source: what it rests on: a webhook, the custody API's word where the webhook never came, or a
-- person's decision.
CREATE TABLE entries (
  entry_id        INTEGER PRIMARY KEY,
  seq             INTEGER NOT NULL REFERENCES journal (seq),
  view            TEXT    NOT NULL CHECK (view IN ('books', 'chain')),
  source          TEXT    NOT NULL CHECK (source = 'webhook' OR source = 'api' OR
                                          source = 'decision'),
  cause           TEXT    NOT NULL CHECK (cause = 'incoming' OR cause = 'mined' OR
                                          cause = 'failed-fee' OR cause = 'chain' OR
                                          cause = 'suspense'),
  vault_id        TEXT    NOT NULL,
  hash_id         INTEGER NOT NULL REFERENCES hashes (hash_id),
  network         TEXT    NOT NULL,
  blockchain_hash TEXT    NOT NULL,
  transaction_id  TEXT,
  reverses        INTEGER REFERENCES entries (entry_id),
  posted_at       INTEGER NOT NULL
) STRICT;

-- To show everything that was posted for a hash.
CREATE INDEX entries_by_hash ON entries (hash_id);

-- Postings: per entry and asset they sum to zero.
CREATE TABLE postings (
  entry_id       INTEGER NOT NULL REFERENCES entries (entry_id),
  line           INTEGER NOT NULL,
  ledger_account INTEGER NOT NULL REFERENCES ledger_accounts (ledger_account),
  change_kind    TEXT    NOT NULL CHECK (change_kind = 'transfer' OR change_kind = 'change' OR
                                         change_kind = 'fee' OR change_kind = 'rebate' OR
                                         change_kind = 'mint'),
  amount         TEXT    NOT NULL,
  PRIMARY KEY (entry_id, line)
) STRICT, WITHOUT ROWID;

-- The sum of each ledger account's postings, kept with every commit.
CREATE TABLE balances (
  ledger_account INTEGER PRIMARY KEY REFERENCES ledger_accounts (ledger_account),
  amount         TEXT    NOT NULL
) STRICT;

-- One hash's movement of one asset on one vault: the books' sum beside the chain view's sum, and
-- beside the custody API's where it told one since the books last moved.
-- standing: agrees | custody_agrees (no chain view, equal to the API's sum) | differs | chain_only |
-- books_only (no chain view, and the API was not asked yet).
CREATE TABLE movements (
  hash_id         INTEGER NOT NULL REFERENCES hashes (hash_id),
  network         TEXT    NOT NULL,
  blockchain_hash TEXT    NOT NULL,
  vault_id        TEXT    NOT NULL,
  asset           TEXT    NOT NULL,
  books           TEXT    NOT NULL,
  chain           TEXT    NOT NULL,
  custody         TEXT,
  on_books        INTEGER NOT NULL,
  on_chain        INTEGER NOT NULL,
  standing        TEXT    NOT NULL CHECK (standing = 'agrees' OR standing = 'custody_agrees' OR
                                          standing = 'differs' OR standing = 'chain_only' OR
                                          standing = 'books_only'),
  changed_at      INTEGER NOT NULL,
  -- When a run judged it: never, now (as it is), or before (it has changed since).
  judged          TEXT    NOT NULL CHECK (judged = 'never' OR judged = 'now' OR judged = 'before'),
  PRIMARY KEY (hash_id, vault_id, asset)
) STRICT, WITHOUT ROWID;
-- What runs have to judge: differences first seen or changed, and breaks whose sides agree by now.
CREATE INDEX movements_to_judge ON movements (changed_at)
  WHERE judged <> 'now' AND (standing = 'differs' OR standing = 'chain_only');
CREATE INDEX movements_to_heal ON movements (changed_at)
  WHERE judged = 'before' AND standing <> 'differs' AND standing <> 'chain_only';
-- What the custody API has to settle, because no chain view tells of it.
CREATE INDEX movements_unsettled ON movements (standing, changed_at)
  WHERE standing IN ('books_only', 'differs') AND on_chain = 0;

-- How many movements stand how, kept with every commit, so that a run need not count them all.
-- unjudged: those at odds that no run has judged yet.
CREATE TABLE movement_counts (
  standing TEXT    PRIMARY KEY,
  count    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO movement_counts (standing, count)
  VALUES ('agrees', 0), ('custody_agrees', 0), ('differs', 0), ('chain_only', 0), ('books_only', 0),
         ('unjudged', 0);

-- Decimals of an asset, pinned at its first sighting: a later change holds its deposits.
CREATE TABLE assets (
  asset    TEXT    PRIMARY KEY,
  decimals INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Corrections of these decimals by people: the first sighting may have been forged.
CREATE TABLE decimals_corrections (
  seq             INTEGER PRIMARY KEY REFERENCES journal (seq),
  asset           TEXT    NOT NULL,
  decimals_before INTEGER NOT NULL,
  decimals_after  INTEGER NOT NULL,
  actor           TEXT    NOT NULL,
  reason          TEXT    NOT NULL,
  corrected_at    INTEGER NOT NULL
) STRICT;

-- Changes of the API tokens that people made at run time; a token is as its last change left it.
-- sha256 is of the token, in hex, and NULL from its revocation on. The token itself is nowhere.
CREATE TABLE token_changes (
  seq        INTEGER PRIMARY KEY REFERENCES journal (seq),
  name       TEXT    NOT NULL,
  role       TEXT    NOT NULL,
  sha256     TEXT,
  actor      TEXT    NOT NULL,
  reason     TEXT    NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT;

-- ---------------------------------------------------------------------------------------------
-- Projections: deposits, withdrawals, credits.
-- ---------------------------------------------------------------------------------------------

-- One deposit per (vault, network, hash, account, address, memo, asset). By deposit_id they are found
-- through `keys` (space 3).
-- first_seq: the fact that told of it first.
-- deposit_id is a digest of those, so that it survives a restore from an older backup; a credit's id
-- is a digest of the deposit's and of how many credits it had.
-- state is judged from the other columns and the policy, whenever one of them changes.
-- updated_hour: the hour of updated_at, in whole hours since 1970. Every confirmation moves updated_at;
-- an index of hours need not move with it.
CREATE TABLE deposits (
  hash_id                INTEGER NOT NULL REFERENCES hashes (hash_id),
  deposit_id             TEXT    NOT NULL,
  first_seq              INTEGER NOT NULL REFERENCES journal (seq),
  vault_id               TEXT    NOT NULL,
  network                TEXT    NOT NULL,
  blockchain_hash        TEXT    NOT NULL,
  account_id             TEXT,
  address_id             TEXT,
  memo                   TEXT,
  asset                  TEXT    NOT NULL,
  transaction_id         TEXT,
  amount                 TEXT    NOT NULL,
  epoch                  INTEGER NOT NULL,
  evidence               TEXT    NOT NULL CHECK (evidence = 'none' OR evidence = 'mempool' OR
                                                 evidence = 'confirmed'),
  confirmations          INTEGER NOT NULL,
  change                 INTEGER NOT NULL,
  own_transfer           INTEGER NOT NULL,
  unattributed           INTEGER NOT NULL,
  attributed_to          TEXT,
  attributed_by          TEXT,
  decimals_changed       INTEGER NOT NULL,
  operator_hold          TEXT,
  approvals              TEXT    NOT NULL,
  verified_at            INTEGER,
  custody_confirmations  INTEGER NOT NULL,
  credit_id              TEXT,
  credit_amount          TEXT,
  credited_at            INTEGER,
  credit_reference       TEXT,
  credits_issued         INTEGER NOT NULL,
  reversed_credit_id     TEXT,
  state                  TEXT    NOT NULL CHECK (state = 'detected' OR state = 'confirming' OR
                                                 state = 'verifying' OR state = 'credited' OR
                                                 state = 'settled' OR state = 'internal' OR
                                                 state = 'held' OR state = 'rolled_back' OR
                                                 state = 'reversed'),
  reason                 TEXT,
  required_confirmations INTEGER NOT NULL,
  first_seen_at          INTEGER NOT NULL,
  updated_at             INTEGER NOT NULL,
  updated_hour           INTEGER NOT NULL,
  PRIMARY KEY (hash_id, deposit_id)
) STRICT, WITHOUT ROWID;
-- How many deposits are in which state, kept with every commit: what is asked for every few seconds
-- must not read every row.
CREATE TABLE deposit_counts (
  state TEXT    PRIMARY KEY,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO deposit_counts (state, count)
  VALUES ('detected', 0), ('confirming', 0), ('verifying', 0), ('credited', 0), ('settled', 0),
         ('internal', 0), ('held', 0), ('rolled_back', 0), ('reversed', 0);
-- The order in which they became known.
CREATE INDEX deposits_by_seq ON deposits (first_seq);
-- The oldest held deposit of each reason.
CREATE INDEX deposits_held ON deposits (reason, first_seen_at) WHERE state = 'held';
-- Credits that the consumer has not acknowledged, the oldest first.
CREATE INDEX deposits_unacknowledged ON deposits (credited_at) WHERE state = 'credited';
-- The sweep's work list.
CREATE INDEX deposits_waiting ON deposits (state)
  WHERE state <> 'settled' AND state <> 'credited' AND state <> 'internal';
-- Those that a change of the crediting policy judges anew, in the order in which it does.
CREATE INDEX deposits_to_judge ON deposits (hash_id, deposit_id)
  WHERE credit_id IS NULL AND evidence <> 'none' AND change = 0;
-- Own transfers are asked for too, until the custody API has confirmed them once.
CREATE INDEX deposits_internal_unverified ON deposits (deposit_id)
  WHERE state = 'internal' AND verified_at IS NULL;
-- Credited deposits whose hash left the chain: the feed's reversal waits for the custody API.
CREATE INDEX deposits_to_reverse ON deposits (credit_id)
  WHERE credit_id IS NOT NULL AND evidence = 'none';
-- Deposits that wait for something, the longest without progress first: a run looks at their end.
CREATE INDEX deposits_idle ON deposits (updated_hour, hash_id, deposit_id)
  WHERE (state = 'detected' OR state = 'confirming' OR state = 'verifying'
  OR (state = 'held' AND (verified_at IS NULL OR reason = 'approval_required')));

-- Platform transactions. custody: what the custody API says of one. Webhooks are unsigned.
--   unasked  nothing yet
--   known    its record agrees with this row
--   doubted  it has shown it, and says otherwise, or webhooks have told of another end or hash since
--   unknown  it does not know it: nothing is posted for it, and it makes no deposit internal
CREATE TABLE withdrawals (
  transaction_id      TEXT    PRIMARY KEY,
  vault_id            TEXT    NOT NULL,
  order_id            TEXT,
  hash_id             INTEGER REFERENCES hashes (hash_id),
  network             TEXT,
  blockchain_hash     TEXT,
  account_id          TEXT,
  address_id          TEXT,
  destination_address TEXT,
  memo                TEXT,
  status              TEXT,
  reason_code         TEXT,
  entry_id            INTEGER REFERENCES entries (entry_id),
  posted              TEXT    NOT NULL,
  custody             TEXT    NOT NULL CHECK (custody = 'unasked' OR custody = 'known' OR
                                              custody = 'doubted' OR custody = 'unknown'),
  first_seen_at       INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL
) STRICT;
-- The sweep's work list.
CREATE INDEX withdrawals_unconfirmed ON withdrawals (custody, first_seen_at)
  WHERE custody <> 'known';
CREATE INDEX withdrawals_by_hash ON withdrawals (hash_id) WHERE hash_id IS NOT NULL;
-- Those without a final status, the longest without progress first.
CREATE INDEX withdrawals_idle ON withdrawals (updated_at, transaction_id)
  WHERE (status IS NULL
  OR status <> 'mined' AND status <> 'failed' AND status <> 'cancelled' AND status <> 'replaced'
     AND status <> 'rolledback');

-- Hashes that own outgoing transactions have or are said to have: deposits of such a hash are
-- internal. standing:
--   claimed    by a webhook alone; counts until the custody API denies it
--   confirmed  by the custody API; for good, since a transaction may be sent again under another
--   refuted    the custody API knows the transaction under another hash, or not at all
--   disowned   the custody API, asked for the hash, knows no own transaction under it, and has never
--              shown this one; so is whatever else webhooks alone tell of the hash later
CREATE TABLE own_hashes (
  hash_id         INTEGER NOT NULL REFERENCES hashes (hash_id),
  network         TEXT NOT NULL,
  blockchain_hash TEXT NOT NULL,
  transaction_id  TEXT NOT NULL,
  standing        TEXT NOT NULL CHECK (standing = 'claimed' OR standing = 'confirmed' OR
                                       standing = 'refuted' OR standing = 'disowned'),
  PRIMARY KEY (hash_id, transaction_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX own_hashes_by_transaction ON own_hashes (transaction_id);
-- The sweep's work list: those that the custody API has not answered for.
CREATE INDEX own_hashes_claimed ON own_hashes (hash_id) WHERE standing = 'claimed';

-- The credit feed, append-only, in the order in which consumers read it. deposit: the deposit as it
-- was when the item was appended (JSON).
CREATE TABLE credits (
  feed_seq   INTEGER PRIMARY KEY,
  seq        INTEGER NOT NULL REFERENCES journal (seq),
  credit_id  TEXT    NOT NULL UNIQUE,
  kind       TEXT    NOT NULL CHECK (kind IN ('credit', 'reversal')),
  hash_id    INTEGER NOT NULL,
  deposit_id TEXT    NOT NULL,
  amount     TEXT    NOT NULL,
  reverses   TEXT    UNIQUE REFERENCES credits (credit_id),
  deposit    TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (hash_id, deposit_id) REFERENCES deposits (hash_id, deposit_id),
  CHECK ((kind = 'reversal') = (reverses IS NOT NULL))
) STRICT;

-- Times at which the store was put back from a backup, and how many items the feed had then. Consumers
-- may have read a history that is lost: an item's place is its feed_seq plus 1,000,000,000 for each
-- restore before it, so that a place of the lost history is never one of this.
CREATE TABLE restores (
  seq         INTEGER PRIMARY KEY REFERENCES journal (seq),
  feed_length INTEGER NOT NULL,
  restored_at INTEGER NOT NULL
) STRICT;

-- What the consumer booked each credit as; kept when the credit is reversed, so that a late repeat
-- of any acknowledgement is recognised.
CREATE TABLE acknowledgements (
  credit_id TEXT    PRIMARY KEY REFERENCES credits (credit_id),
  seq       INTEGER NOT NULL REFERENCES journal (seq),
  reference TEXT    NOT NULL,
  at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- ---------------------------------------------------------------------------------------------
-- Projections: differences, runs, policy.
-- ---------------------------------------------------------------------------------------------

-- Breaks. One is unresolved per key. difference = actual − expected is computed when shown; the
-- figures of a resolved one stay as they were last.
-- original_severity: of the difference itself; severity: as it counts now, raised by age or not.
CREATE TABLE breaks (
  break_id        TEXT    PRIMARY KEY,
  type            TEXT    NOT NULL,
  key             TEXT    NOT NULL,
  severity        TEXT    NOT NULL CHECK (severity = 'info' OR severity = 'warning' OR
                                          severity = 'critical'),
  original_severity TEXT  NOT NULL CHECK (original_severity = 'info' OR
                                          original_severity = 'warning' OR
                                          original_severity = 'critical'),
  state           TEXT    NOT NULL CHECK (state = 'open' OR state = 'investigating' OR
                                          state = 'resolved'),
  assignee        TEXT,
  vault_id        TEXT,
  network         TEXT,
  blockchain_hash TEXT,
  asset           TEXT,
  transaction_id  TEXT,
  deposit_id      TEXT,
  expected        TEXT,
  actual          TEXT,
  detail          TEXT    NOT NULL,
  opened_at       INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  resolved_at     INTEGER,
  resolved_by     TEXT,
  resolution      TEXT
) STRICT;
CREATE UNIQUE INDEX breaks_unresolved ON breaks (key) WHERE state <> 'resolved';
-- Breaks that are due to grow more severe by age.
CREATE INDEX breaks_by_age ON breaks (severity, original_severity, opened_at)
  WHERE state <> 'resolved';
-- The most severe first, the oldest of each: what a person looks at.
CREATE INDEX breaks_by_urgency ON breaks (
  CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END,
  opened_at, length(break_id), break_id)
  WHERE state <> 'resolved';
-- When the oldest of a kind was opened.
CREATE INDEX breaks_oldest ON breaks (type, severity, opened_at) WHERE state <> 'resolved';
-- Runs look at them again in turn.
CREATE INDEX breaks_by_type ON breaks (type, length(break_id), break_id) WHERE state <> 'resolved';
-- To explain the difference of a hash by its breaks, the resolved ones too.
CREATE INDEX breaks_by_hash ON breaks (blockchain_hash) WHERE blockchain_hash IS NOT NULL;

-- How many notifications there are of each vault ('' where none is told) and status, kept with every
-- commit: a list tells how many it has, and millions would have to be counted for it.
CREATE TABLE notification_counts (
  vault_id TEXT    NOT NULL,
  status   TEXT    NOT NULL,
  count    INTEGER NOT NULL,
  PRIMARY KEY (vault_id, status)
) STRICT, WITHOUT ROWID;

-- How many breaks there are of each kind, kept with every commit.
CREATE TABLE break_counts (
  type     TEXT    NOT NULL,
  severity TEXT    NOT NULL,
  state    TEXT    NOT NULL,
  count    INTEGER NOT NULL,
  PRIMARY KEY (type, severity, state)
) STRICT, WITHOUT ROWID;

-- Where runs have come to in looking again at open breaks and exempt differences, in turn: the last
-- break and the last key looked at; NULL before the first and after the last.
CREATE TABLE look_round (
  only_row   INTEGER PRIMARY KEY CHECK (only_row = 1),
  break_id   TEXT,
  difference TEXT
) STRICT;
INSERT INTO look_round (only_row, break_id, difference) VALUES (1, NULL, NULL);

-- Who did what to a break, when and why. Of an assignment the reason begins with `from → to`.
-- figures_before, figures_after: expected, actual and severity (JSON) where `opened`, `changed` or
-- `escalated` moved them: what a break once said is never overwritten without a trace.
CREATE TABLE break_events (
  break_id TEXT    NOT NULL REFERENCES breaks (break_id),
  seq      INTEGER NOT NULL REFERENCES journal (seq),
  at       INTEGER NOT NULL,
  actor    TEXT    NOT NULL,
  action   TEXT    NOT NULL CHECK (action = 'opened' OR action = 'changed' OR
                                   action = 'escalated' OR action = 'noted' OR
                                   action = 'assigned' OR action = 'investigating' OR
                                   action = 'resolved'),
  reason   TEXT    NOT NULL,
  figures_before TEXT,
  figures_after  TEXT
) STRICT;
CREATE INDEX break_events_by_break ON break_events (break_id);
-- To tell which breaks have moved since a cut-off.
CREATE INDEX break_events_by_seq ON break_events (seq);

-- Reconciliation runs with their outcomes; exempt and skipped are JSON objects of counts.
-- watermark: newest updatedAt, by the custody service's clock, up to which its list is known.
-- addresses: what was asked of single addresses (JSON): how many, how those comparisons ended (they
-- are counted above too), and how far the round over all addresses has come; NULL where none was.
-- replayed: notifications that the custody service sent again. pulled_forward: vaults whose next
-- delivery was pulled forward. backfilled: transactions taken into the books from the API.
CREATE TABLE reconciliations (
  seq            INTEGER PRIMARY KEY REFERENCES journal (seq),
  started_at     INTEGER NOT NULL,
  finished_at    INTEGER NOT NULL,
  matched        INTEGER NOT NULL,
  broken         INTEGER NOT NULL,
  exempt         TEXT    NOT NULL,
  skipped        TEXT    NOT NULL,
  requests       INTEGER NOT NULL,
  watermark      INTEGER,
  incomplete     TEXT,
  addresses      TEXT,
  replayed       INTEGER NOT NULL,
  pulled_forward INTEGER NOT NULL,
  backfilled     INTEGER NOT NULL
) STRICT;

-- Crediting policies as they were set, by whom and why; the last row holds.
-- source: the configuration, or a person through the API (a whole policy, or a halt switch).
-- configured: for `config` what the file said, NULL for `api`. The file's policy is taken again only
-- when it differs from the last one here; policy differs from it by halts that people had put on.
CREATE TABLE policies (
  seq        INTEGER PRIMARY KEY REFERENCES journal (seq),
  source     TEXT    NOT NULL CHECK (source IN ('config', 'api')),
  actor      TEXT    NOT NULL,
  reason     TEXT    NOT NULL,
  policy     TEXT    NOT NULL,
  configured TEXT,
  set_at     INTEGER NOT NULL,
  CHECK ((source = 'config') = (configured IS NOT NULL))
) STRICT;

-- All exemption rules after each change by the configuration or a person (JSON); the last row holds.
-- The configuration's come first. A person's has `added`: who added it, and when. A difference that
-- a rule matches before its `until` counts as exempt by that rule, opens no break, and is never a
-- match: no rule can make a credit.
CREATE TABLE exemptions (
  seq    INTEGER PRIMARY KEY REFERENCES journal (seq),
  actor  TEXT    NOT NULL,
  rules  TEXT    NOT NULL,
  set_at INTEGER NOT NULL
) STRICT;

-- Differences that are exempt now, as they were found last: what would be their break. When the
-- rule has expired or is gone, the next run opens it.
CREATE TABLE exempt_differences (
  key             TEXT PRIMARY KEY,
  rule            TEXT NOT NULL,
  type            TEXT NOT NULL,
  severity        TEXT NOT NULL CHECK (severity = 'info' OR severity = 'warning' OR
                                       severity = 'critical'),
  vault_id        TEXT,
  network         TEXT,
  blockchain_hash TEXT,
  asset           TEXT,
  transaction_id  TEXT,
  deposit_id      TEXT,
  expected        TEXT,
  actual          TEXT,
  detail          TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX exempt_differences_by_type ON exempt_differences (type, rule);

-- ---------------------------------------------------------------------------------------------
-- Projections: the daily close.
-- ---------------------------------------------------------------------------------------------

-- One sealed report per closed day. The day is the part of the journal after the last close's
-- through_seq, up to its own, where the clock passed the cut-off (midnight after `day` in
-- `timezone`). Whatever is recorded later belongs to the next day, and is named there as prior-day.
-- report: the report as JSON, amounts as strings; report_hash: the SHA-256 of that text, in hex.
-- seal_hash: hash of the commit (seals) that holds the fact at through_seq, 64 zeros before the
-- first. previous_report_hash: the day closed before. It and seal_hash also stand inside the report,
-- so that each day's hash seals every day before it.
-- first_posted_at, last_posted_at: the earliest and the latest time of the day's entries, NULL where
-- it has none. A clock that was set back or forth makes them reach out of the day.
CREATE TABLE daily_closes (
  day                  TEXT    PRIMARY KEY,
  seq                  INTEGER NOT NULL REFERENCES journal (seq),
  timezone             TEXT    NOT NULL,
  cut_off_at           INTEGER NOT NULL UNIQUE,
  closed_at            INTEGER NOT NULL,
  through_seq          INTEGER NOT NULL,
  first_posted_at      INTEGER,
  last_posted_at       INTEGER,
  commit_number        INTEGER NOT NULL,
  seal_hash            TEXT    NOT NULL,
  status               TEXT    NOT NULL CHECK (status = 'balanced' OR
                                               status = 'balanced with open differences' OR
                                               status = 'exceptions'),
  custody_compared     INTEGER NOT NULL,
  report_hash          TEXT    NOT NULL,
  previous_report_hash TEXT,
  report               TEXT    NOT NULL
) STRICT;

-- The roll-forward of each report, to be asked in SQL:
-- opening + deposits − withdrawals − fees + rebates + mints + internal + change + adjustments
-- = closing. The opening is the closing of the day closed before.
-- chain_closing: the chain view at the cut-off. custody_closing: the custody API's figure, under rules 2
-- at the cut-off, under rules 1 as it was read; NULL where the day was not compared with it.
CREATE TABLE daily_totals (
  day             TEXT NOT NULL REFERENCES daily_closes (day),
  vault_id        TEXT NOT NULL,
  asset           TEXT NOT NULL,
  opening         TEXT NOT NULL,
  deposits        TEXT NOT NULL,
  withdrawals     TEXT NOT NULL,
  fees            TEXT NOT NULL,
  rebates         TEXT NOT NULL,
  mints           TEXT NOT NULL,
  internal        TEXT NOT NULL,
  change          TEXT NOT NULL,
  adjustments     TEXT NOT NULL,
  closing         TEXT NOT NULL,
  chain_closing   TEXT NOT NULL,
  custody_closing TEXT,
  PRIMARY KEY (day, vault_id, asset)
) STRICT, WITHOUT ROWID;

-- What each position held at the end of a closed day in which it moved: the sum of its postings up
-- to that day's through_seq. The last row at or before a day is what it held at that day's end; a
-- balance as of any time goes on from there. Summed per vault, asset and view they are the closing
-- and chain_closing above.
CREATE TABLE position_totals (
  ledger_account INTEGER NOT NULL REFERENCES ledger_accounts (ledger_account),
  day            TEXT    NOT NULL REFERENCES daily_closes (day),
  amount         TEXT    NOT NULL,
  PRIMARY KEY (ledger_account, day)
) STRICT, WITHOUT ROWID;

-- What each transaction of the custody API's list counts for, as the closes have read it: final
-- statuses only, and nothing of ours is looked at. Their sum is the custody side of the report.
-- blockchain_hash: its hash, or its own id where the API names none.
-- kind: an own debit (outgoing), a receipt (incoming), or change that came back to another address of
-- the vault. NULL where only a day closed under rules 1 counted it.
-- at, dated_by: when it moved, by its block's time or by the custody record's; NULL where not known.
CREATE TABLE custody_effects (
  transaction_id  TEXT NOT NULL,
  asset           TEXT NOT NULL,
  vault_id        TEXT NOT NULL,
  network         TEXT NOT NULL,
  blockchain_hash TEXT NOT NULL,
  kind            TEXT CHECK (kind = 'outgoing' OR kind = 'incoming' OR kind = 'change'),
  at              INTEGER,
  dated_by        TEXT CHECK (dated_by = 'block' OR dated_by = 'custody'),
  amount          TEXT NOT NULL,
  PRIMARY KEY (transaction_id, asset, vault_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX custody_effects_by_hash ON custody_effects (blockchain_hash);

-- Who signed a report: two different people, the preparer first. report_hash: what they signed.
CREATE TABLE close_signatures (
  day         TEXT    NOT NULL REFERENCES daily_closes (day),
  role        TEXT    NOT NULL CHECK (role IN ('preparer', 'reviewer')),
  seq         INTEGER NOT NULL REFERENCES journal (seq),
  person      TEXT    NOT NULL,
  reason      TEXT    NOT NULL,
  report_hash TEXT    NOT NULL,
  signed_at   INTEGER NOT NULL,
  PRIMARY KEY (day, role)
) STRICT, WITHOUT ROWID;

-- ---------------------------------------------------------------------------------------------
-- Look-ups: how rows are found by a random key. A function of the tables above.
-- ---------------------------------------------------------------------------------------------

-- A random key put in its sorted place at once costs a page of its own; many at a time share pages.
-- So keys are kept in memory at first, and every commit writes some here, in the order of their
-- fingerprints. keys_merged says how far. The keys of later facts are read from the tables at start.
-- space: 1 notifications by id, 2 hashes by network and hash, 3 deposits by id.
-- fingerprint: the first 48 bits of the key's SHA-256; several keys may share one, so that the row
-- itself decides. row: the seq, the hash_id, the deposit's hash_id.
CREATE TABLE keys (
  space       INTEGER NOT NULL CHECK (space = 1 OR space = 2 OR space = 3),
  fingerprint INTEGER NOT NULL,
  row         INTEGER NOT NULL,
  PRIMARY KEY (space, fingerprint, row)
) STRICT, WITHOUT ROWID;

-- Every key of the facts up to through_seq is in `keys`; of later facts some may be.
CREATE TABLE keys_merged (
  only_row    INTEGER PRIMARY KEY CHECK (only_row = 1),
  through_seq INTEGER NOT NULL
) STRICT;
INSERT INTO keys_merged (only_row, through_seq) VALUES (1, 0);

-- ---------------------------------------------------------------------------------------------
-- Observations: counted, not journalled. Not a function of the journal, and no rule reads them.
-- ---------------------------------------------------------------------------------------------

-- How many deliveries were answered how; a repeat of a known id leaves no other trace.
CREATE TABLE intake_counts (
  outcome TEXT    PRIMARY KEY CHECK (outcome = 'accepted' OR outcome = 'duplicate' OR
                                     outcome = 'quarantined' OR outcome = 'refused'),
  count   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- ---------------------------------------------------------------------------------------------
-- Append-only, and enforced.
-- ---------------------------------------------------------------------------------------------

-- UPDATE and DELETE are refused, and so is INSERT OR REPLACE, which would be both.
CREATE TRIGGER journal_keeps BEFORE UPDATE ON journal
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_stays BEFORE DELETE ON journal
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_once BEFORE INSERT ON journal
  WHEN EXISTS (SELECT 1 FROM journal WHERE seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER bodies_keep BEFORE UPDATE ON bodies
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER bodies_stay BEFORE DELETE ON bodies
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER bodies_once BEFORE INSERT ON bodies
  WHEN EXISTS (SELECT 1 FROM bodies WHERE first_seq = NEW.first_seq)
  BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER seals_keep BEFORE UPDATE ON seals
  BEGIN SELECT RAISE(ABORT, 'seals are append-only'); END;
CREATE TRIGGER seals_stay BEFORE DELETE ON seals
  BEGIN SELECT RAISE(ABORT, 'seals are append-only'); END;
CREATE TRIGGER seals_once BEFORE INSERT ON seals
  WHEN EXISTS (SELECT 1 FROM seals WHERE commit_number = NEW.commit_number)
  BEGIN SELECT RAISE(ABORT, 'seals are append-only'); END;
CREATE TRIGGER entries_keep BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'ledger entries are append-only: reverse them'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'ledger entries are append-only: reverse them'); END;
CREATE TRIGGER entries_once BEFORE INSERT ON entries
  WHEN EXISTS (SELECT 1 FROM entries WHERE entry_id = NEW.entry_id)
  BEGIN SELECT RAISE(ABORT, 'ledger entries are append-only: reverse them'); END;
CREATE TRIGGER postings_keep BEFORE UPDATE ON postings
  BEGIN SELECT RAISE(ABORT, 'postings are append-only: reverse their entry'); END;
CREATE TRIGGER postings_stay BEFORE DELETE ON postings
  BEGIN SELECT RAISE(ABORT, 'postings are append-only: reverse their entry'); END;
CREATE TRIGGER postings_once BEFORE INSERT ON postings
  WHEN EXISTS (SELECT 1 FROM postings WHERE entry_id = NEW.entry_id AND line = NEW.line)
  BEGIN SELECT RAISE(ABORT, 'postings are append-only: reverse their entry'); END;
CREATE TRIGGER credits_keep BEFORE UPDATE ON credits
  BEGIN SELECT RAISE(ABORT, 'the credit feed is append-only'); END;
CREATE TRIGGER credits_stay BEFORE DELETE ON credits
  BEGIN SELECT RAISE(ABORT, 'the credit feed is append-only'); END;
CREATE TRIGGER credits_once BEFORE INSERT ON credits
  WHEN EXISTS (SELECT 1 FROM credits WHERE feed_seq = NEW.feed_seq OR credit_id = NEW.credit_id)
  BEGIN SELECT RAISE(ABORT, 'the credit feed is append-only'); END;
CREATE TRIGGER daily_closes_keep BEFORE UPDATE ON daily_closes
  BEGIN SELECT RAISE(ABORT, 'a closed day is append-only'); END;
CREATE TRIGGER daily_closes_stay BEFORE DELETE ON daily_closes
  BEGIN SELECT RAISE(ABORT, 'a closed day is append-only'); END;
CREATE TRIGGER daily_closes_once BEFORE INSERT ON daily_closes
  WHEN EXISTS (SELECT 1 FROM daily_closes WHERE day = NEW.day)
  BEGIN SELECT RAISE(ABORT, 'a closed day is append-only'); END;
CREATE TRIGGER daily_totals_keep BEFORE UPDATE ON daily_totals
  BEGIN SELECT RAISE(ABORT, 'a closed day is append-only'); END;
CREATE TRIGGER daily_totals_stay BEFORE DELETE ON daily_totals
  BEGIN SELECT RAISE(ABORT, 'a closed day is append-only'); END;
CREATE TRIGGER daily_totals_once BEFORE INSERT ON daily_totals
  WHEN EXISTS (SELECT 1 FROM daily_totals WHERE day = NEW.day AND vault_id = NEW.vault_id AND asset = NEW.asset)
  BEGIN SELECT RAISE(ABORT, 'a closed day is append-only'); END;
CREATE TRIGGER position_totals_keep BEFORE UPDATE ON position_totals
  BEGIN SELECT RAISE(ABORT, 'a closed day is append-only'); END;
CREATE TRIGGER position_totals_stay BEFORE DELETE ON position_totals
  BEGIN SELECT RAISE(ABORT, 'a closed day is append-only'); END;
CREATE TRIGGER position_totals_once BEFORE INSERT ON position_totals
  WHEN EXISTS (SELECT 1 FROM position_totals
    WHERE ledger_account = NEW.ledger_account AND day = NEW.day)
  BEGIN SELECT RAISE(ABORT, 'a closed day is append-only'); END;
CREATE TRIGGER close_signatures_keep BEFORE UPDATE ON close_signatures
  BEGIN SELECT RAISE(ABORT, 'signatures are append-only'); END;
CREATE TRIGGER close_signatures_stay BEFORE DELETE ON close_signatures
  BEGIN SELECT RAISE(ABORT, 'signatures are append-only'); END;
CREATE TRIGGER close_signatures_once BEFORE INSERT ON close_signatures
  WHEN EXISTS (SELECT 1 FROM close_signatures WHERE day = NEW.day AND role = NEW.role)
  BEGIN SELECT RAISE(ABORT, 'signatures are append-only'); END;
