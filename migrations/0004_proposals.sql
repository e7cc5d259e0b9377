CREATE TABLE proposals (
  proposal_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  learn_session_id TEXT,
  interpretation_id TEXT,
  source_trace_ids TEXT NOT NULL,
  title TEXT NOT NULL,
  proposed_skill_slug TEXT NOT NULL,
  trigger_phrases TEXT NOT NULL,
  negative_triggers TEXT NOT NULL,
  draft_skill_path TEXT NOT NULL,
  draft_manifest_path TEXT NOT NULL,
  draft_graph_ref TEXT,
  proposal_state TEXT NOT NULL,
  install_lane TEXT NOT NULL,
  ability_id TEXT,
  primary_capability_id TEXT,
  support_pack_refs TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  archived_at TEXT,
  revision INTEGER NOT NULL
) STRICT;
CREATE INDEX proposals_by_owner ON proposals (owner_user_id, created_at);
CREATE INDEX proposals_by_session ON proposals (learn_session_id) WHERE learn_session_id IS NOT NULL;

CREATE TABLE interpretations (
  interpretation_id TEXT PRIMARY KEY,
  learn_session_id TEXT NOT NULL,
  proposal_id TEXT,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX interpretations_by_session ON interpretations (learn_session_id);

-- The files of a draft, by the name they have in the draft folder.
CREATE TABLE draft_files (
  proposal_id TEXT NOT NULL,
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (proposal_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE questions (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  question_id TEXT NOT NULL UNIQUE,
  proposal_id TEXT NOT NULL,
  field TEXT NOT NULL,
  prompt TEXT NOT NULL,
  required INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX questions_by_proposal ON questions (proposal_id, position);

-- Every answer given; the last one per question counts.
CREATE TABLE answers (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  question_id TEXT NOT NULL,
  proposal_id TEXT NOT NULL,
  answer TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX answers_by_proposal ON answers (proposal_id, position);

CREATE TABLE test_policies (
  policy_id TEXT PRIMARY KEY,
  learn_session_id TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX test_policies_by_session ON test_policies (learn_session_id);

-- Abilities that exist; what a session may improve.
CREATE TABLE abilities (
  ability_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  title TEXT NOT NULL,
  install_lane TEXT NOT NULL,
  usable_now INTEGER NOT NULL,
  reason_unusable TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
