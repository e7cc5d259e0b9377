-- Bundles of skills that were brought in, each with what was uploaded and how far it has come.
CREATE TABLE skill_imports (
  import_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  source TEXT NOT NULL,
  skill_name TEXT NOT NULL,
  source_ref_kind TEXT NOT NULL,
  source_ref TEXT NOT NULL,
  original_filename TEXT,
  stage_state TEXT NOT NULL,
  -- What retries there were of each kind.
  retry_scan INTEGER NOT NULL,
  retry_stage INTEGER NOT NULL,
  retry_install INTEGER NOT NULL,
  -- How often any work on it was begun: names its jobs.
  attempts INTEGER NOT NULL,
  last_error_code TEXT,
  skill_pack TEXT,
  notes TEXT,
  requires_adapter INTEGER NOT NULL,
  -- The upload, as long as its bytes are kept.
  temp_artifact_ref TEXT UNIQUE,
  content_hash_sha256 TEXT,
  byte_size INTEGER,
  temp_artifact_expires_at TEXT,
  artifact_deleted_at TEXT,
  report TEXT,
  proposal_id TEXT,
  ability_id TEXT,
  saga_id TEXT,
  assigned_namespace TEXT,
  tool_shadowing_check TEXT NOT NULL,
  visibility TEXT NOT NULL,
  partial_deployment TEXT,
  migrated INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX skill_imports_by_owner ON skill_imports (owner_user_id, created_at);
CREATE INDEX skill_imports_by_proposal ON skill_imports (proposal_id) WHERE proposal_id IS NOT NULL;
CREATE INDEX skill_imports_by_hash ON skill_imports (content_hash_sha256)
  WHERE content_hash_sha256 IS NOT NULL;
CREATE INDEX skill_imports_expiring ON skill_imports (temp_artifact_expires_at)
  WHERE temp_artifact_expires_at IS NOT NULL;

-- Every move of an import.
CREATE TABLE skill_import_events (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  import_id TEXT NOT NULL,
  from_state TEXT,
  to_state TEXT NOT NULL,
  actor TEXT NOT NULL,
  reason TEXT,
  correlation_id TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX skill_import_events_by_import ON skill_import_events (import_id, position);

-- The unpacked bundle a file is copied from; its content is then not in the row.
ALTER TABLE installed_files ADD COLUMN staged_ref TEXT;
