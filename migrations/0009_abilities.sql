-- What people have taught and may be used: one row per ability, whatever its version. Nothing could be installed before.
DROP TABLE abilities;
CREATE TABLE abilities (
  ability_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  title TEXT NOT NULL,
  family TEXT NOT NULL,
  source TEXT NOT NULL,
  skill_slug TEXT,
  primary_capability_id TEXT,
  install_lane TEXT NOT NULL,
  -- Where it returns to when it leaves quarantine.
  prior_lane TEXT,
  enabled INTEGER NOT NULL,
  usable_now INTEGER NOT NULL,
  reason_unusable TEXT,
  trigger_phrases TEXT NOT NULL,
  negative_triggers TEXT NOT NULL,
  aliases TEXT NOT NULL,
  project_scopes TEXT NOT NULL,
  preferred_control_surfaces TEXT NOT NULL,
  support_pack_refs TEXT NOT NULL,
  checkpoint_health TEXT NOT NULL,
  last_validated_at TEXT,
  learn_session_id TEXT,
  proposal_id TEXT,
  current_version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX abilities_by_capability ON abilities (primary_capability_id)
  WHERE primary_capability_id IS NOT NULL;

-- Which abilities came, changed or went, the latest change of each; what is kept in memory follows it. Triggers
-- write it, so that no change can be forgotten.
CREATE TABLE ability_changes (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  ability_id TEXT NOT NULL UNIQUE
) STRICT;
CREATE TRIGGER abilities_came AFTER INSERT ON abilities BEGIN
  INSERT OR REPLACE INTO ability_changes (ability_id) VALUES (NEW.ability_id);
END;
CREATE TRIGGER abilities_changed AFTER UPDATE ON abilities BEGIN
  INSERT OR REPLACE INTO ability_changes (ability_id) VALUES (NEW.ability_id);
END;
CREATE TRIGGER abilities_went AFTER DELETE ON abilities BEGIN
  INSERT OR REPLACE INTO ability_changes (ability_id) VALUES (OLD.ability_id);
END;

-- One row: when it was last worked out what can be used, and what has asked for that since.
CREATE TABLE ability_snapshot (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  snapshot_as_of TEXT NOT NULL,
  -- When all abilities were looked at, and not only some.
  full_as_of TEXT NOT NULL,
  latest_trigger_at TEXT NOT NULL,
  stale INTEGER NOT NULL
) STRICT;
INSERT INTO ability_snapshot VALUES
  (1, '1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z', 0);
