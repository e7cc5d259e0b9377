CREATE TABLE skill_packs (
  pack_id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  description TEXT,
  compatibility_target TEXT,
  active_build_surface INTEGER NOT NULL
) STRICT;

INSERT INTO skill_packs (pack_id, title, description, active_build_surface) VALUES
  ('general', 'General', 'Skills that belong to no other pack.', 1),
  ('office-pack', 'Office', 'Mail, documents, calendars and spreadsheets.', 1);

-- Preferences belong to a user. What was written before belongs to every user who wrote some of it.
INSERT INTO config_documents (name, body, updated_at)
  SELECT DISTINCT '_user_preferences/' || i.owner_user_id, d.body, d.updated_at
    FROM config_documents d JOIN config_intents i ON i.target = 'user_preference' AND i.status = 'applied'
   WHERE d.name = '_user_preferences';
DELETE FROM config_documents WHERE name = '_user_preferences';
