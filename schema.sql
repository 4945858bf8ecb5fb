-- Counterfoil: every table of a store, with its meaning. Auditors read this file first.
--
-- Three rules hold everywhere:
--   1. Amounts are decimal integer TEXT in the asset's smallest unit, of up to 78 digits. They are
--      never summed in SQL: SQLite's integers end at 64 bits and its sums turn into floats.
--   2. Every table under a heading "Projections" is computed from the journal. `counterfoil verify`
--      replays the journal into an empty store and compares the tables. `counterfoil rebuild`
--      computes the tables again.
--   3. Past events are never edited. Triggers refuse UPDATE and DELETE on the journal, its seals,
--      ledger entries, postings, the credit feed and closed days. A new entry reverses a mistake.
--
-- CHECK constraints of three and more values use OR instead of IN: for such a list SQLite creates a
-- temporary table for every row that it checks.
--
-- Times are Unix milliseconds (UTC). Identifiers compare byte by byte (BINARY collation).

-- ---------------------------------------------------------------------------------------------
-- The journal: every fact, in the order in which the facts took effect.
-- ---------------------------------------------------------------------------------------------

-- kind:
--   notification    a webhook that was understood; body: its bytes exactly as received
--   quarantined     a webhook that has an id and was not understood; body: its bytes
--   refused         a delivery answered 400 because it is no notification; body: its first 64 KiB
--   custody-record  evidence from the custody API that changed something; body: JSON
--   decision        a decision of a person, a consumer or the configuration; body: JSON
-- detail: the defect of a quarantined or refused delivery; the actor of a decision.
-- body_start, body_bytes: offset and length of the body in its unpacked block of `bodies`.
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
-- For the list of decisions. Few facts are decisions.
CREATE INDEX journal_decisions ON journal (detail, seq) WHERE kind = 'decision';
-- For the facts in the life of a deposit or a withdrawal, among very many notifications.
CREATE INDEX journal_records ON journal (seq) WHERE kind = 'custody-record' OR kind = 'decision';

-- One block holds the bodies of the facts first_seq to last_seq of one commit, one after the other,
-- compressed with zlib (RFC 1950). bytes: the unpacked length. A block may also hold bodies that made
-- no fact: repeats and refused bodies. This statement of the shell `sqlite3` reads one body:
--   SELECT CAST(substr(sqlar_uncompress(content, bytes), body_start + 1, body_bytes) AS TEXT)
--   FROM journal JOIN bodies ON seq BETWEEN first_seq AND last_seq WHERE seq = 1;
CREATE TABLE bodies (
  first_seq INTEGER PRIMARY KEY REFERENCES journal (seq),
  last_seq  INTEGER NOT NULL REFERENCES journal (seq),
  bytes     INTEGER NOT NULL,
  content   BLOB    NOT NULL
) STRICT;

-- The hash chain: one seal per commit. hash = SHA-256(previous_hash ‖ first_seq ‖ last_seq ‖
-- sealed_at ‖ for every fact: seq ‖ recorded_at ‖ kind ‖ detail ‖ body). Integers are 8 bytes,
-- big-endian. kind and body are written as their length and their bytes (text as UTF-8). A NULL
-- detail is one byte 0; any other detail is one byte 1, its length and its bytes. A changed, dropped
-- or moved fact breaks the chain from its commit on.
CREATE TABLE seals (
  commit_number INTEGER PRIMARY KEY,
  first_seq     INTEGER NOT NULL REFERENCES journal (seq),
  last_seq      INTEGER NOT NULL REFERENCES journal (seq),
  sealed_at     INTEGER NOT NULL,
  previous_hash BLOB    NOT NULL CHECK (length(previous_hash) = 32),
  hash          BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;

-- ---------------------------------------------------------------------------------------------
-- Projections: hashes, notifications and the quarantine.
-- ---------------------------------------------------------------------------------------------

-- Blockchain hashes, in the order of the first fact that names them. Other tables refer to a hash by
-- its hash_id: hashes are random, and rows of new hashes then share pages on disk.
-- hash_id: the seq of that first fact × 1,000,000, plus 1 for each further hash of the same fact.
-- `keys` (space 2) finds the hash_id of a hash.
CREATE TABLE hashes (
  hash_id         INTEGER PRIMARY KEY,
  network         TEXT    NOT NULL,
  blockchain_hash TEXT    NOT NULL
) STRICT;

-- The first notification of every id: the first layer of deduplication. `keys` (space 1) finds a row
-- by its id. `counterfoil verify` checks that no id occurs twice.
-- status: accepted | duplicate (known content under another id) | quarantined.
-- previous_of_vault: the seq of the vault's notification before this one; NULL for the first. Lists of
-- a vault follow it back from `notification_counts.newest_seq`. An index by vault would write one page
-- for nearly every notification.
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
  received_at     INTEGER NOT NULL,
  previous_of_vault INTEGER
) STRICT;
-- For lists of notifications that were not accepted. They are few.
CREATE INDEX notifications_by_status ON notifications (status) WHERE status <> 'accepted';
CREATE INDEX notifications_by_hash ON notifications (hash_id) WHERE hash_id IS NOT NULL;
-- For the events of a withdrawal before it has a hash. An index that begins with the random
-- transaction_id would write one page for nearly every row.
CREATE INDEX notifications_without_hash ON notifications (seq, transaction_id) WHERE hash_id IS NULL;

-- Bodies that were not understood, or that arrived under the id of another body. An operator can
-- retry one after an upgrade; it then takes effect as if it had just arrived.
-- digest: of the body. defect: the reason for the quarantine.
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

-- What one stream reported about a hash at one position: the second layer of deduplication.
-- epoch: how often the hash was rolled back at this position.
-- rolled_back_at: when the last of these rollbacks arrived.
-- seen: the events of this epoch, as a JSON array of runs [type, transactionId, from, to]. A run covers
--   every confirmation count `from` to `to`; both are null for an event without a count. A fifth
--   member "api" marks events that the custody API reported instead of a webhook. Runs are as long as
--   possible, and ordered by type, transaction, source and count: the order of arrival has no effect.
-- entry_id, posted: the active ledger entry of this sighting, and its balance changes as JSON arrays.
--   [asset, amount, kind, decimals] is a change at this row's account, address and memo. A change at
--   another position is [asset, amount, kind, account_id, address_id, memo, decimals].
-- An absent account, address or memo is '', because a key must not hold NULL.
CREATE TABLE sightings (
  hash_id         INTEGER NOT NULL REFERENCES hashes (hash_id),
  vault_id        TEXT    NOT NULL,
  stream          TEXT    NOT NULL,
  account_id      TEXT    NOT NULL,
  address_id      TEXT    NOT NULL,
  memo            TEXT    NOT NULL,
  epoch           INTEGER NOT NULL,
  rolled_back_at  INTEGER,
  seen            TEXT    NOT NULL,
  entry_id        INTEGER REFERENCES entries (entry_id),
  posted          TEXT    NOT NULL,
  PRIMARY KEY (hash_id, vault_id, stream, account_id, address_id, memo)
) STRICT, WITHOUT ROWID;

-- ---------------------------------------------------------------------------------------------
-- Projections: the ledger.
-- ---------------------------------------------------------------------------------------------

-- Ledger accounts. kind `position` is money in custody at (vault, account?, address?, memo?, asset).
-- world, network-fees, rebates, mints and suspense are its counter-accounts, one set per vault.
-- view: `books` (from outgoing/mined and incoming) or `chain` (from the blockchain stream).
-- The UNIQUE columns begin with vault and address: reconciliation reads a vault's addresses in turn,
-- and continues after any of them.
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
  UNIQUE (vault_id, address_id, account_id, memo, asset, view, kind)
) STRICT;

-- Entries: balanced sets of postings. reverses: the entry that this entry takes back.
-- source: the evidence for the entry: a webhook, a record of the custody API (where the webhook never
-- came), or a person's decision.
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

-- For the entries of a hash.
CREATE INDEX entries_by_hash ON entries (hash_id);

-- Postings: the postings of an entry sum to zero per asset.
-- previous_entry: the entry before this one that posted to the same ledger account; NULL for the
-- first. A statement follows these from the newest posting back. An index of postings by ledger
-- account would cost every commit more.
CREATE TABLE postings (
  entry_id       INTEGER NOT NULL REFERENCES entries (entry_id),
  line           INTEGER NOT NULL,
  ledger_account INTEGER NOT NULL REFERENCES ledger_accounts (ledger_account),
  change_kind    TEXT    NOT NULL CHECK (change_kind = 'transfer' OR change_kind = 'change' OR
                                         change_kind = 'fee' OR change_kind = 'rebate' OR
                                         change_kind = 'mint'),
  amount         TEXT    NOT NULL,
  previous_entry INTEGER,
  PRIMARY KEY (entry_id, line)
) STRICT, WITHOUT ROWID;

-- The sum of each ledger account's postings, and the newest entry that posted to it. Every commit
-- updates it.
CREATE TABLE balances (
  ledger_account INTEGER PRIMARY KEY REFERENCES ledger_accounts (ledger_account),
  amount         TEXT    NOT NULL,
  newest_entry   INTEGER NOT NULL
) STRICT;

-- One hash's movement of one asset in one vault. books, chain: the sums of both views. custody: the
-- custody API's sum; NULL until the API has reported one after the last change of the books.
-- on_books, on_chain: whether the view has ever posted an entry; a sum of zero does not show it.
-- agreement: how the sums compare: agrees | custody_agrees (no chain view; equal to the API's sum) |
-- differs | chain_only | books_only (no chain view, and the API was not asked yet).
-- compared: whether a reconciliation run has compared the movement: never | now (as it is) | before
-- (it has changed since).
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
  agreement       TEXT    NOT NULL CHECK (agreement = 'agrees' OR agreement = 'custody_agrees' OR
                                          agreement = 'differs' OR agreement = 'chain_only' OR
                                          agreement = 'books_only'),
  changed_at      INTEGER NOT NULL,
  compared        TEXT    NOT NULL CHECK (compared = 'never' OR compared = 'now' OR compared = 'before'),
  PRIMARY KEY (hash_id, vault_id, asset)
) STRICT, WITHOUT ROWID;
-- The work list of a run: new or changed differences, and differences whose sums agree again.
CREATE INDEX movements_to_compare ON movements (changed_at)
  WHERE compared <> 'now' AND (agreement = 'differs' OR agreement = 'chain_only');
CREATE INDEX movements_to_heal ON movements (changed_at)
  WHERE compared = 'before' AND agreement <> 'differs' AND agreement <> 'chain_only';
-- Movements without a chain view: the custody API must confirm them.
CREATE INDEX movements_unconfirmed ON movements (agreement, changed_at)
  WHERE agreement IN ('books_only', 'differs') AND on_chain = 0;

-- The number of movements of each agreement. Every commit updates it, so that no run counts all rows.
-- uncompared: movements that differ, or are on the chain only, and that no run has compared yet.
CREATE TABLE movement_counts (
  agreement TEXT    PRIMARY KEY,
  count     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO movement_counts (agreement, count)
  VALUES ('agrees', 0), ('custody_agrees', 0), ('differs', 0), ('chain_only', 0), ('books_only', 0),
         ('uncompared', 0);

-- The decimals of each asset, pinned by its first sighting. Other decimals later hold the deposits.
CREATE TABLE assets (
  asset    TEXT    PRIMARY KEY,
  decimals INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- People's corrections of pinned decimals: a forged webhook may have been the first sighting.
CREATE TABLE decimals_corrections (
  seq             INTEGER PRIMARY KEY REFERENCES journal (seq),
  asset           TEXT    NOT NULL,
  decimals_before INTEGER NOT NULL,
  decimals_after  INTEGER NOT NULL,
  actor           TEXT    NOT NULL,
  reason          TEXT    NOT NULL,
  corrected_at    INTEGER NOT NULL
) STRICT;

-- API tokens that people made, changed or revoked while the daemon ran. The last row of a name counts.
-- sha256: the SHA-256 of the token in hex; NULL when the token was revoked. No table holds the token.
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

-- One deposit per (vault, network, hash, account, address, memo, asset).
-- deposit_id: a digest of these members; it stays the same after a restore from an older backup.
-- `keys` (space 3) finds a row by it. first_seq: the first fact about the deposit.
-- credit_id: a digest of deposit_id and of the number of earlier credits of the deposit.
-- network_address: the on-chain address of address_id by the custody API's record that verified the
-- deposit; NULL when no such record names one. reported_address: the on-chain address that the first
-- fact names, which nothing verifies; NULL when it is network_address.
-- `keys` (space 4) finds the deposits of an on-chain address, with the keys of both columns. A row is
-- at network_address, or at reported_address while network_address is NULL.
-- matched_at: when the custody API's record last matched, as far as the journal shows. An hour later
-- a credit needs another match. NULL where only facts of earlier versions matched.
-- custody_created_at: when the custody service created the transaction, by the API's record.
-- state: computed from the other columns and the policy whenever one of them changes.
-- updated_hour: updated_at in whole hours since 1970. Every confirmation changes updated_at; an index
-- by hour seldom changes.
CREATE TABLE deposits (
  hash_id                INTEGER NOT NULL REFERENCES hashes (hash_id),
  deposit_id             TEXT    NOT NULL,
  first_seq              INTEGER NOT NULL REFERENCES journal (seq),
  vault_id               TEXT    NOT NULL,
  network                TEXT    NOT NULL,
  blockchain_hash        TEXT    NOT NULL,
  account_id             TEXT,
  address_id             TEXT,
  network_address        TEXT,
  reported_address       TEXT,
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
  matched_at             INTEGER,
  custody_confirmations  INTEGER NOT NULL,
  custody_created_at     INTEGER,
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
-- The number of deposits in each state. Every commit updates it: metrics and pages read it every few
-- seconds, and must not count all rows.
CREATE TABLE deposit_counts (
  state TEXT    PRIMARY KEY,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO deposit_counts (state, count)
  VALUES ('detected', 0), ('confirming', 0), ('verifying', 0), ('credited', 0), ('settled', 0),
         ('internal', 0), ('held', 0), ('rolled_back', 0), ('reversed', 0);
-- Deposits in the order of their first fact.
CREATE INDEX deposits_by_seq ON deposits (first_seq);
-- The oldest held deposit of each reason.
CREATE INDEX deposits_held ON deposits (reason, first_seen_at) WHERE state = 'held';
-- Credits that the consumer has not acknowledged, the oldest first.
CREATE INDEX deposits_unacknowledged ON deposits (credited_at) WHERE state = 'credited';
-- The sweep's work list: deposits that are neither credited nor internal.
CREATE INDEX deposits_waiting ON deposits (state)
  WHERE state <> 'settled' AND state <> 'credited' AND state <> 'internal';
-- Deposits that a change of the crediting policy evaluates again, in that order.
CREATE INDEX deposits_to_judge ON deposits (hash_id, deposit_id)
  WHERE credit_id IS NULL AND evidence <> 'none' AND change = 0;
-- Own transfers that the custody API has not confirmed yet: the sweep asks for them too.
CREATE INDEX deposits_internal_unverified ON deposits (deposit_id)
  WHERE state = 'internal' AND verified_at IS NULL;
-- Credited deposits whose hash left the chain. The reversal waits for the custody API's record.
CREATE INDEX deposits_to_reverse ON deposits (credit_id)
  WHERE credit_id IS NOT NULL AND evidence = 'none';
-- Whether a transaction has a verified or credited deposit at another hash or position.
CREATE INDEX deposits_verified ON deposits (transaction_id)
  WHERE credit_id IS NOT NULL OR verified_at IS NOT NULL;
-- Unfinished deposits, the longest without progress first: a run reports stale ones.
CREATE INDEX deposits_idle ON deposits (updated_hour, hash_id, deposit_id)
  WHERE (state = 'detected' OR state = 'confirming' OR state = 'verifying'
  OR (state = 'held' AND (verified_at IS NULL OR reason = 'approval_required')));

-- Platform transactions. Webhooks are unsigned, so each row says what the custody API knows.
-- custody:
--   unasked  the API has not been asked
--   known    the API's record agrees with this row
--   doubted  the API's record differs, or webhooks have since reported another end or hash
--   unknown  the API does not know the transaction: no entry is posted, and no deposit is internal
--            because of it
-- entry_id, posted: as in `sightings`.
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
-- The sweep's work list: withdrawals that the custody API has not confirmed.
CREATE INDEX withdrawals_unconfirmed ON withdrawals (custody, first_seen_at)
  WHERE custody <> 'known';
CREATE INDEX withdrawals_by_hash ON withdrawals (hash_id) WHERE hash_id IS NOT NULL;
-- Withdrawals without a final status, the longest without progress first.
CREATE INDEX withdrawals_idle ON withdrawals (updated_at, transaction_id)
  WHERE (status IS NULL
  OR status <> 'mined' AND status <> 'failed' AND status <> 'cancelled' AND status <> 'replaced'
     AND status <> 'rolledback');

-- Hashes of own outgoing transactions. Deposits with such a hash are internal.
-- certainty: how certain it is that the transaction has the hash:
--   claimed    a webhook says so; counts until the custody API denies it
--   confirmed  the custody API says so; stays, even when the transaction is sent again under another
--              hash
--   refuted    the custody API knows the transaction under another hash, or not at all
--   disowned   asked for the hash, the custody API knew no own transaction, and it has never shown
--              this transaction; later claims by webhooks alone are disowned too
CREATE TABLE own_hashes (
  hash_id         INTEGER NOT NULL REFERENCES hashes (hash_id),
  network         TEXT NOT NULL,
  blockchain_hash TEXT NOT NULL,
  transaction_id  TEXT NOT NULL,
  certainty       TEXT NOT NULL CHECK (certainty = 'claimed' OR certainty = 'confirmed' OR
                                       certainty = 'refuted' OR certainty = 'disowned'),
  PRIMARY KEY (hash_id, transaction_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX own_hashes_by_transaction ON own_hashes (transaction_id);
-- The sweep's work list: claims that the custody API has not answered.
CREATE INDEX own_hashes_claimed ON own_hashes (hash_id) WHERE certainty = 'claimed';

-- The credit feed: append-only, in the order in which consumers read it.
-- deposit: the deposit at the time of the item (JSON).
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

-- Restores of this store from a backup. feed_length: the number of feed items at the restore. history:
-- the number of the feed's history that begins then; it grows from restore to restore. Consumers may
-- have read items that the backup does not hold. So the cursor of an item is its feed_seq plus
-- 1,000,000,000 times the number of its history: no cursor of a lost item is used again. The clock
-- numbers a history, in minutes since 2026, because a backup can be restored more than once. Restores
-- by earlier versions are counted from 1.
CREATE TABLE restores (
  seq         INTEGER PRIMARY KEY REFERENCES journal (seq),
  feed_length INTEGER NOT NULL,
  history     INTEGER NOT NULL,
  restored_at INTEGER NOT NULL
) STRICT;

-- The consumer's booking reference of each credit. A row stays when the credit is reversed, so that a
-- late repeat of the acknowledgement is recognised.
CREATE TABLE acknowledgements (
  credit_id TEXT    PRIMARY KEY REFERENCES credits (credit_id),
  seq       INTEGER NOT NULL REFERENCES journal (seq),
  reference TEXT    NOT NULL,
  at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- ---------------------------------------------------------------------------------------------
-- Projections: differences, runs, policy.
-- ---------------------------------------------------------------------------------------------

-- Breaks: at most one unresolved break per key. difference = actual − expected is computed when shown.
-- A resolved break keeps its last figures.
-- original_severity: the severity of the difference itself. severity: the same, or raised by age.
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
-- For escalation by age.
CREATE INDEX breaks_by_age ON breaks (severity, original_severity, opened_at)
  WHERE state <> 'resolved';
-- For people's lists: by severity, then the oldest first.
CREATE INDEX breaks_by_urgency ON breaks (
  CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END,
  opened_at, length(break_id), break_id)
  WHERE state <> 'resolved';
-- For the age of the oldest break of each type and severity.
CREATE INDEX breaks_oldest ON breaks (type, severity, opened_at) WHERE state <> 'resolved';
-- For runs, which check open breaks again in turn.
CREATE INDEX breaks_by_type ON breaks (type, length(break_id), break_id) WHERE state <> 'resolved';
-- For explanations of a hash's difference by its breaks, open and resolved.
CREATE INDEX breaks_by_hash ON breaks (blockchain_hash) WHERE blockchain_hash IS NOT NULL;

-- The number of notifications of each vault ('' for none) and status, and the seq of the newest of
-- them. Every commit updates it: lists show their total, and must not count millions of rows.
CREATE TABLE notification_counts (
  vault_id   TEXT    NOT NULL,
  status     TEXT    NOT NULL,
  count      INTEGER NOT NULL,
  newest_seq INTEGER NOT NULL,
  PRIMARY KEY (vault_id, status)
) STRICT, WITHOUT ROWID;

-- The number of breaks of each type, severity and state. Every commit updates it.
CREATE TABLE break_counts (
  type     TEXT    NOT NULL,
  severity TEXT    NOT NULL,
  state    TEXT    NOT NULL,
  count    INTEGER NOT NULL,
  PRIMARY KEY (type, severity, state)
) STRICT, WITHOUT ROWID;

-- Runs check open breaks and exempt differences again in turn, some in each run. This row holds the
-- last break and the last key that were checked; NULL before the first and after the last.
CREATE TABLE look_round (
  only_row   INTEGER PRIMARY KEY CHECK (only_row = 1),
  break_id   TEXT,
  difference TEXT
) STRICT;
INSERT INTO look_round (only_row, break_id, difference) VALUES (1, NULL, NULL);

-- The history of each break: who did what, when and why. The reason of an assignment begins with
-- `from → to`. figures_before, figures_after: expected, actual and severity (JSON), where `opened`,
-- `changed` or `escalated` changed them. So no earlier figure of a break is lost.
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
-- For breaks that changed after a cut-off.
CREATE INDEX break_events_by_seq ON break_events (seq);

-- Reconciliation runs and their outcomes. exempt, skipped: JSON objects of counts.
-- watermark: the custody API's list is known up to this updatedAt, by the custody service's clock.
-- incomplete: why the run did not read the whole list; NULL for a complete run.
-- addresses: the comparisons of single addresses (JSON): their number, their outcomes (also counted in
-- the columns above), and the last address of the turn over all addresses; NULL without any.
-- replayed: notifications that the custody service sent again. pulled_forward: vaults whose next
-- delivery was made due at once. backfilled: transactions that were booked from the custody API.
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

-- Crediting policies: who set each one, when and why. The last row is in force.
-- source: `config`, or `api` for a person (a whole policy, or a halt).
-- configured: the policy in the configuration file; NULL for `api`. A start takes the file's policy
-- only when it differs from the last `configured`. `policy` is the file's policy with the halts that
-- people had set.
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

-- All exemption rules (JSON) after each change by the configuration or a person. The last row is in
-- force. The configuration's rules come first. A person's rule has `added`: its author and its time.
-- Until its `until` a rule exempts the differences that it matches: they open no break. An exempt
-- difference is never a match, so no rule causes a credit.
CREATE TABLE exemptions (
  seq    INTEGER PRIMARY KEY REFERENCES journal (seq),
  actor  TEXT    NOT NULL,
  rules  TEXT    NOT NULL,
  set_at INTEGER NOT NULL
) STRICT;

-- Differences that are exempt now, with the figures of their last comparison, in the form of a break.
-- When the rule has expired or was removed, the next run opens the break.
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

-- One sealed report per closed day. A day holds the facts after the through_seq of the day before, up
-- to its own through_seq: the last fact before the cut-off (midnight after `day` in `timezone`). Later
-- facts belong to the next day, which names them as prior-day.
-- report: the report as JSON, amounts as strings. report_hash: the SHA-256 of this text, in hex.
-- seal_hash: the hash in `seals` of the commit that holds the fact at through_seq; 64 zeros before the
-- first commit. previous_report_hash: the report_hash of the day closed before. The report contains
-- both, so that the hash of each day seals every day before it.
-- first_posted_at, last_posted_at: the earliest and the latest time of the day's entries; NULL for a
-- day without entries. They can lie outside the day when the clock was changed.
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

-- The roll-forward of each report, for SQL:
-- opening + deposits − withdrawals − fees + rebates + mints + internal + change + adjustments
-- = closing. The opening is the closing of the day closed before.
-- chain_closing: the chain view at the cut-off. custody_closing: the custody API's figure; NULL when
-- the day was not compared with it. Reports under rules 2 take this figure at the cut-off, reports
-- under rules 1 at the time of reading.
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

-- The balance of each position at the end of each closed day in which it moved: the sum of its postings
-- up to that day's through_seq. The last row at or before a day is the balance at that day's end. A
-- balance as of any time adds the later postings to it. Sums per vault, asset and view are the closing
-- and chain_closing above.
CREATE TABLE position_totals (
  ledger_account INTEGER NOT NULL REFERENCES ledger_accounts (ledger_account),
  day            TEXT    NOT NULL REFERENCES daily_closes (day),
  amount         TEXT    NOT NULL,
  PRIMARY KEY (ledger_account, day)
) STRICT, WITHOUT ROWID;

-- The effect of each transaction of the custody API's list, as the closes read it. Only final statuses
-- count, and our own books are not read. The sum is the custody side of the report.
-- blockchain_hash: the transaction's hash; its transaction_id when the API names no hash.
-- kind: an own debit (outgoing), a receipt (incoming), or change that came back to another address of
-- the vault; NULL when only a day closed under rules 1 counted the transaction.
-- at, dated_by: the time of the movement, by its block or by the custody record; NULL when unknown.
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

-- Signatures of a report by two different people, the preparer first. report_hash: the signed report.
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
-- Look-ups: rows by a random key. Computed from the tables above.
-- ---------------------------------------------------------------------------------------------

-- A random key inserted alone costs one page; many keys inserted in order share pages. So new keys stay
-- in memory first, and every commit writes some of them in the order of their fingerprints. At start,
-- the keys of facts after keys_merged.through_seq are read from the tables above.
-- space: 1 notifications by id, 2 hashes by network and hash, 3 deposits by id, 4 deposits by on-chain
-- address, in small letters where its network ignores case.
-- fingerprint: the first 48 bits of the key's SHA-256. Several keys may share a fingerprint, so a
-- look-up compares the key in the row itself. row: the seq (space 1) or the hash_id (other spaces).
CREATE TABLE keys (
  space       INTEGER NOT NULL CHECK (space = 1 OR space = 2 OR space = 3 OR space = 4),
  fingerprint INTEGER NOT NULL,
  row         INTEGER NOT NULL,
  PRIMARY KEY (space, fingerprint, row)
) STRICT, WITHOUT ROWID;

-- `keys` holds every key of the facts up to through_seq, and perhaps some keys of later facts.
CREATE TABLE keys_merged (
  only_row    INTEGER PRIMARY KEY CHECK (only_row = 1),
  through_seq INTEGER NOT NULL
) STRICT;
INSERT INTO keys_merged (only_row, through_seq) VALUES (1, 0);

-- ---------------------------------------------------------------------------------------------
-- Observations: counters that the journal does not hold. No rule reads them.
-- ---------------------------------------------------------------------------------------------

-- The number of deliveries by outcome. A repeat of a known id is recorded nowhere else.
CREATE TABLE intake_counts (
  outcome TEXT    PRIMARY KEY CHECK (outcome = 'accepted' OR outcome = 'duplicate' OR
                                     outcome = 'quarantined' OR outcome = 'refused'),
  count   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- ---------------------------------------------------------------------------------------------
-- Triggers that keep tables append-only.
-- ---------------------------------------------------------------------------------------------

-- They refuse UPDATE, DELETE and INSERT OR REPLACE, which deletes and inserts.
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
