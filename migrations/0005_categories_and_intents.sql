CREATE TABLE categories (
  category_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  title TEXT NOT NULL,
  title_folded TEXT NOT NULL,
  color TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (owner_user_id, title_folded)
) STRICT;

CREATE TABLE category_assignments (
  category_id TEXT NOT NULL,
  item_kind TEXT NOT NULL,
  item_id TEXT NOT NULL,
  assigned_at TEXT NOT NULL,
  PRIMARY KEY (category_id, item_kind, item_id)
) STRICT, WITHOUT ROWID;

-- Every assignment and removal in order; compaction keeps the additions that still stand.
CREATE TABLE category_assignment_log (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  op TEXT NOT NULL,
  category_id TEXT NOT NULL,
  item_kind TEXT NOT NULL,
  item_id TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE INDEX category_assignment_log_by_item
  ON category_assignment_log (category_id, item_kind, item_id, position);

CREATE TABLE config_documents (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE config_intents (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  intent_id TEXT NOT NULL UNIQUE,
  owner_user_id TEXT NOT NULL,
  target TEXT NOT NULL,
  capability_id TEXT,
  payload TEXT NOT NULL,
  requested_by TEXT NOT NULL,
  correlation_id TEXT NOT NULL,
  status TEXT NOT NULL,
  written_ref TEXT,
  receipt_id TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
