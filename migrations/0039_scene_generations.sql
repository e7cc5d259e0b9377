-- Scene packages that are generated from uploaded folders.
CREATE TABLE scene_generations (
  generation_id TEXT PRIMARY KEY,
  owner_user_id TEXT NOT NULL,
  temp_artifact_ref TEXT NOT NULL,
  folder_name TEXT NOT NULL,
  answers TEXT NOT NULL,
  state TEXT NOT NULL,
  scene_id TEXT,
  example_instruction TEXT,
  refusals TEXT NOT NULL,
  paths TEXT NOT NULL,
  error TEXT,
  created_at TEXT NOT NULL,
  settled_at TEXT
) STRICT;

CREATE INDEX scene_generations_by_owner ON scene_generations (owner_user_id, created_at);

-- What they produced. Apart, because it is large and rarely read.
CREATE TABLE scene_generation_results (
  generation_id TEXT PRIMARY KEY,
  analysis TEXT NOT NULL,
  files TEXT NOT NULL
) STRICT;
