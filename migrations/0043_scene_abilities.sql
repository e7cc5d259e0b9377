-- Registered scenes as abilities: what the packages on disk were when they were read last.
CREATE TABLE scene_abilities (
  ability_id TEXT PRIMARY KEY,
  scene_id TEXT NOT NULL,
  -- Changes with everything that a plan depends on.
  digest TEXT NOT NULL,
  inputs TEXT NOT NULL,
  -- Why the scene cannot be used now.
  problem TEXT
) STRICT, WITHOUT ROWID;

-- The run of a scene as a run of its ability. It has no execution and no device.
ALTER TABLE ability_runs ADD COLUMN scene_run_id TEXT;
