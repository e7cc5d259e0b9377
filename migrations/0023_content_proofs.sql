-- The content of a draft, by its hash, that a device has carried out.
CREATE TABLE content_proofs (
  draft_hash TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- The validation run or the ability run.
  source_ref TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (draft_hash, kind)
) STRICT;

-- Content without such a proof that a person uses nevertheless, in one lane.
CREATE TABLE accepted_risks (
  ability_id TEXT NOT NULL,
  draft_hash TEXT NOT NULL,
  install_lane TEXT NOT NULL,
  accepted_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (ability_id, draft_hash, install_lane)
) STRICT;

-- The settings of the lanes that were changed.
CREATE TABLE lane_settings (
  install_lane TEXT PRIMARY KEY,
  accept_unrehearsed INTEGER NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

INSERT INTO content_proofs
SELECT draft_hash, 'rehearsal', 'validation_run:' || validation_run_id, completed_at FROM validation_runs
 WHERE draft_hash IS NOT NULL AND run_kind = 'rehearsal' AND overall_result = 'passed'
   AND selected_tests IN ('[]', '["rehearsal"]')
ON CONFLICT DO NOTHING;

INSERT INTO content_proofs
SELECT draft_hash, 'verified_run', 'ability_run:' || run_id, settled_at FROM ability_runs
  JOIN ability_versions USING (ability_id, version)
 WHERE ability_runs.state = 'success' AND json_extract(outcome, '$.acted') = 1
ON CONFLICT DO NOTHING;

UPDATE abilities SET usable_now = 0, reason_unusable = 'not_rehearsed'
 WHERE usable_now = 1 AND EXISTS (
   SELECT 1 FROM ability_versions AS current
    WHERE current.ability_id = abilities.ability_id AND current.version = abilities.current_version
      AND current.recipe IS NOT NULL
      AND current.draft_hash NOT IN (SELECT draft_hash FROM content_proofs)
 );
