-- Counterfoil: the shared journal in PostgreSQL, for whoever audits it.
--
-- Several receivers share one journal. This schema holds the journal and who may append to it.
-- Everything else is a function of the journal: each receiver computes it in a SQLite file of its
-- own, its replica, whose tables the top folder's schema.sql explains.
--
-- Three rules hold everywhere:
--   1. One receiver, the owner, appends. Each append names the owner's epoch, and changes nothing
--      when the row in `ownership` has another one.
--   2. What has happened is never edited. Triggers refuse UPDATE, DELETE and TRUNCATE on the journal,
--      its bodies, its seals and the computed days. The runtime role has no right to them either.
--   3. A row counts as kept when the primary and its synchronous standby have it on disk.
--
-- Times are Unix milliseconds (UTC), except for leases: these follow the database's clock.
-- `counterfoil init` creates these tables, in a schema of their own.

-- ---------------------------------------------------------------------------------------------
-- Whose database this is.
-- ---------------------------------------------------------------------------------------------

-- One row. store_id distinguishes this journal from every other; schema_version counts the changes
-- of this file.
CREATE TABLE identity (
  is_only        boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  program        text    NOT NULL CHECK (program = 'counterfoil'),
  store_id       uuid    NOT NULL DEFAULT gen_random_uuid(),
  schema_version integer NOT NULL,
  created_at     bigint  NOT NULL
);

-- ---------------------------------------------------------------------------------------------
-- The owner, and the receivers.
-- ---------------------------------------------------------------------------------------------

-- One row: who may append, and where the journal ends.
-- owner, url: the owner's receiver.name and receiver.url; process: a random id of its process, so
--   that two processes under one name are two receivers. All three are NULL before the first owner.
-- epoch: how often somebody has become the owner; an append names it.
-- lease_until: when another receiver may become the owner, by the database's clock.
-- commit_number, last_seq, head_hash: the newest seal; 0, 0 and 32 zero bytes before the first.
-- confirmations: writes that confirmed repeats, which add nothing to the journal.
CREATE TABLE ownership (
  is_only       boolean     PRIMARY KEY DEFAULT true CHECK (is_only),
  owner         text,
  url           text,
  process       uuid,
  epoch         bigint      NOT NULL DEFAULT 0,
  lease_until   timestamptz NOT NULL DEFAULT '-infinity',
  commit_number bigint      NOT NULL DEFAULT 0,
  last_seq      bigint      NOT NULL DEFAULT 0,
  head_hash     bytea       NOT NULL DEFAULT decode(repeat('00', 32), 'hex')
                            CHECK (length(head_hash) = 32),
  confirmations bigint      NOT NULL DEFAULT 0,
  CHECK ((owner IS NULL) = (url IS NULL) AND (owner IS NULL) = (process IS NULL))
) WITH (fillfactor = 10);

-- The receivers, each with the head of its replica when it last read. A receiver writes this row
-- before it hands on what it has read: the write waits for the standby, and so for everything that
-- was written before it.
CREATE TABLE receivers (
  name          text        PRIMARY KEY,
  url           text        NOT NULL,
  process       uuid        NOT NULL,
  version       text        NOT NULL,
  seen_at       timestamptz NOT NULL,
  commit_number bigint      NOT NULL,
  last_seq      bigint      NOT NULL
) WITH (fillfactor = 50);

-- ---------------------------------------------------------------------------------------------
-- The journal: every fact, in the one order in which it took effect.
-- ---------------------------------------------------------------------------------------------

-- kind:
--   notification    a webhook that was understood; body: its bytes exactly as received
--   quarantined     a webhook with an id that was not understood; body: its bytes
--   refused         a delivery answered 400 (not a notification at all); body: its first 64 KiB
--   custody-record  evidence from the custody API that changed something; body: JSON
--   decision        what a person, a consumer or the configuration decided; body: JSON
-- detail: for quarantined and refused what is wrong with it, for a decision its actor. UTF-8 bytes,
--   because `text` cannot hold U+0000: read it with convert_from(detail, 'UTF8').
-- body_start, body_bytes: where its body is among the bytes of its block in `bodies`.
CREATE TABLE journal (
  seq         bigint  PRIMARY KEY,
  kind        text    NOT NULL CHECK (kind IN ('notification', 'quarantined', 'refused',
                                               'custody-record', 'decision')),
  recorded_at bigint  NOT NULL,
  detail      bytea,
  body_start  integer NOT NULL,
  body_bytes  integer NOT NULL
);

-- The bodies of some facts of one commit, first_seq to last_seq, one after the other, as zlib packs
-- them (RFC 1950); bytes: how many they are unpacked.
CREATE TABLE bodies (
  first_seq bigint  PRIMARY KEY,
  last_seq  bigint  NOT NULL CHECK (last_seq >= first_seq),
  bytes     integer NOT NULL,
  content   bytea   NOT NULL
);
-- PostgreSQL would compress it a second time.
ALTER TABLE bodies ALTER COLUMN content SET STORAGE EXTERNAL;

-- One row per commit. hash = SHA-256(previous_hash ‖ first_seq ‖ last_seq ‖ sealed_at ‖ for every
-- fact: seq ‖ recorded_at ‖ kind ‖ detail ‖ body). The top folder's schema.sql says how each is
-- written. Changing, dropping or moving any fact breaks the chain from that commit on.
CREATE TABLE seals (
  commit_number bigint PRIMARY KEY,
  first_seq     bigint NOT NULL,
  last_seq      bigint NOT NULL CHECK (last_seq >= first_seq),
  sealed_at     bigint NOT NULL,
  previous_hash bytea  NOT NULL CHECK (length(previous_hash) = 32),
  hash          bytea  NOT NULL CHECK (length(hash) = 32)
);

-- Reports of closed days, by the journal position of the fact that closes the day. A receiver that
-- reads the journal cannot compute them, because its replica has passed their position.
-- packed: JSON as zlib packs it.
CREATE TABLE computed_days (
  seq    bigint PRIMARY KEY,
  packed bytea  NOT NULL
);
ALTER TABLE computed_days ALTER COLUMN packed SET STORAGE EXTERNAL;

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % is refused: what has happened is never edited', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER journal_is_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON journal
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER bodies_are_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON bodies
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER seals_are_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON seals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER computed_days_are_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON computed_days
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- ---------------------------------------------------------------------------------------------
-- Requests to the custody API: all receivers share one budget.
-- ---------------------------------------------------------------------------------------------

-- The requests of the last hour, by API client. A process inserts a row before it sends a request, one
-- process at a time for each client. Times follow the database's clock, so that no receiver's clock
-- matters. finished_at: NULL while the request is under way, and for good when its process died.
CREATE TABLE custody_requests (
  id          bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  client_id   text        NOT NULL,
  lane        text        NOT NULL,
  started_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz
);
CREATE INDEX custody_requests_by_client ON custody_requests (client_id, id);

INSERT INTO ownership DEFAULT VALUES;
