-- A run has one or more executions, queued one after the other. `payload` is removed once its execution is queued.
CREATE TABLE ability_run_parts (
  run_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  item INTEGER NOT NULL,
  -- The steps that called the ability of this part, joined with a slash. Empty for the ability that runs.
  call TEXT NOT NULL,
  ability_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  -- Which action stands for which step, checkpoint or verification.
  plan TEXT NOT NULL,
  -- The outputs of the run that this part reads. NULL: those of the recipe.
  outputs TEXT,
  -- The position to continue with if the outcome was already reached.
  done_at INTEGER,
  payload TEXT,
  execution_id TEXT UNIQUE,
  PRIMARY KEY (run_id, position)
) STRICT;

INSERT INTO ability_run_parts (run_id, position, item, call, ability_id, version, content_hash, plan, execution_id)
  SELECT run_id, 0, 0, '', ability_id, version, '', plan, execution_id FROM ability_runs;
ALTER TABLE ability_runs DROP COLUMN plan;

-- One item of a run over a list of inputs.
CREATE TABLE ability_run_items (
  run_id TEXT NOT NULL,
  item INTEGER NOT NULL,
  state TEXT NOT NULL,
  outcome TEXT NOT NULL,
  PRIMARY KEY (run_id, item)
) STRICT;

ALTER TABLE ability_runs ADD COLUMN timeout_ms INTEGER;
ALTER TABLE ability_runs ADD COLUMN deadline_at TEXT;
ALTER TABLE ability_runs ADD COLUMN content_hash TEXT;
ALTER TABLE ability_runs ADD COLUMN items_total INTEGER;
ALTER TABLE ability_runs ADD COLUMN on_item_failure TEXT;
ALTER TABLE ability_runs ADD COLUMN cancel_requested_at TEXT;
-- The lease that the run took itself and returns at its end.
ALTER TABLE ability_runs ADD COLUMN lease_id TEXT;

-- The few abilities that call others are checked whenever an ability changes.
CREATE INDEX ability_versions_with_calls ON ability_versions (ability_id, version)
  WHERE instr(recipe, '"call_ability"') > 0;
