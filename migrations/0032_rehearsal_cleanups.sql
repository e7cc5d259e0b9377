-- What must be undone on a device after a rehearsal. `pending` while the rehearsal runs, so that a kill loses none.
CREATE TABLE rehearsal_cleanups (
  cleanup_id TEXT PRIMARY KEY,
  validation_run_id TEXT NOT NULL UNIQUE,
  proposal_id TEXT NOT NULL,
  learn_session_id TEXT,
  owner_user_id TEXT NOT NULL,
  serial TEXT,
  state TEXT NOT NULL,
  -- Why a person has to do it.
  reason TEXT,
  settled_by TEXT,
  note TEXT,
  created_at TEXT NOT NULL,
  settled_at TEXT
) STRICT;
CREATE INDEX rehearsal_cleanups_by_owner ON rehearsal_cleanups (owner_user_id, state, created_at);

-- Values for the clean-up of a rehearsal; deleted when the run ends.
ALTER TABLE validation_runs ADD COLUMN cleanup_inputs TEXT;
