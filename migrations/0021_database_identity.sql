-- Which database this is, and how many commits it has had. The home keeps the same values in a file.
CREATE TABLE database_identity (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  database_id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  commit_count INTEGER NOT NULL
) STRICT;
