-- Whose use failed. NULL: before it was recorded.
ALTER TABLE capability_failures ADD COLUMN user_id TEXT;

-- What became of the entries of the outbox. An entry without a row is open.
CREATE TABLE follow_up_results (
  outbox_id TEXT PRIMARY KEY,
  result TEXT NOT NULL,
  -- The session or the proposal of the repair.
  source_ref TEXT,
  note TEXT,
  decided_by TEXT NOT NULL,
  decided_at TEXT NOT NULL
) STRICT;
CREATE INDEX outbox_by_ability ON outbox (ability_id);
