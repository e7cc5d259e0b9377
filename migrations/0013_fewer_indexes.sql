-- Each index is a page of its own to write with every move of a session: what one can answer is not given two.
DROP INDEX events_by_stream;
DROP INDEX events_timeline;
CREATE INDEX events_by_subject ON events (subject, seq, stream_seq)
  WHERE learn_session_id IS NOT NULL OR stream_seq IS NOT NULL;

-- Receipts without the index of their ids, which nobody looks up. Positions go on where they were.
CREATE TABLE receipts_next (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  receipt_id TEXT NOT NULL,
  owner_user_id TEXT NOT NULL,
  receipt_kind TEXT NOT NULL,
  status TEXT NOT NULL,
  learn_session_id TEXT,
  proposal_id TEXT,
  interpretation_id TEXT,
  validation_run_id TEXT,
  ability_id TEXT,
  saga_id TEXT,
  actor TEXT NOT NULL,
  actor_ref TEXT,
  from_state TEXT,
  to_state TEXT,
  summary TEXT NOT NULL,
  reason TEXT,
  correlation_id TEXT NOT NULL,
  details TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- 'YYYY-MM' once rolled into that month's archive file.
  archive_month TEXT
) STRICT;
INSERT INTO receipts_next SELECT * FROM receipts;
DELETE FROM sqlite_sequence WHERE name = 'receipts_next';
INSERT INTO sqlite_sequence SELECT 'receipts_next', seq FROM sqlite_sequence WHERE name = 'receipts';
DROP TABLE receipts;
ALTER TABLE receipts_next RENAME TO receipts;
CREATE INDEX receipts_by_owner ON receipts (owner_user_id, position);
CREATE INDEX receipts_by_session ON receipts (learn_session_id, position)
  WHERE learn_session_id IS NOT NULL;
CREATE INDEX receipts_unrolled ON receipts (created_at) WHERE archive_month IS NULL;
CREATE INDEX receipts_by_month ON receipts (archive_month, position) WHERE archive_month IS NOT NULL;

CREATE TABLE boundaries_next (
  learn_session_id TEXT NOT NULL,
  -- Order within the session.
  position INTEGER NOT NULL,
  boundary_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  label TEXT,
  source_event_id TEXT,
  step_kind_hint TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (learn_session_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO boundaries_next
  SELECT learn_session_id, position, boundary_id, kind, source, label, source_event_id, step_kind_hint, created_at
    FROM boundaries;
DROP TABLE boundaries;
ALTER TABLE boundaries_next RENAME TO boundaries;
