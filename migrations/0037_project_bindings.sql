-- Where the documents of projects are. The projects themselves are kept elsewhere.
CREATE TABLE project_bindings (
  project_id TEXT PRIMARY KEY,
  aliases TEXT NOT NULL,
  bucket_ids TEXT NOT NULL,
  preferred_doc_types TEXT NOT NULL,
  sharepoint_refs TEXT NOT NULL,
  onedrive_refs TEXT NOT NULL,
  teams_refs TEXT NOT NULL,
  source_of_truth TEXT NOT NULL,
  ambiguity_policy TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
