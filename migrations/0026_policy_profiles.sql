CREATE TABLE policy_profiles (
  name TEXT PRIMARY KEY,
  profile TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL
) STRICT;

CREATE TABLE policy_assignments (
  scope TEXT NOT NULL,
  target TEXT NOT NULL,
  profile_name TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  PRIMARY KEY (scope, target)
) STRICT;

-- The token whose profile applies to the work of a job, and the terms of the request that started it.
ALTER TABLE jobs ADD COLUMN authority TEXT;
