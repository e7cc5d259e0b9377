-- Whether the daemon can run an ability, or it is a document that an agent follows.
ALTER TABLE abilities ADD COLUMN kind TEXT NOT NULL DEFAULT 'guidance';
UPDATE abilities SET kind = 'runnable' WHERE EXISTS (
  SELECT 1 FROM ability_versions AS v
  WHERE v.ability_id = abilities.ability_id AND v.version = abilities.current_version AND v.recipe IS NOT NULL
);
