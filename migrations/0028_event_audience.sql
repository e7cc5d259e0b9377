-- Who may see an event outside the stream of its subject: a user, '*' for every user, NULL for administrators only.
ALTER TABLE events ADD COLUMN visible_to TEXT;
UPDATE events SET visible_to = (SELECT owner_user_id FROM learn_sessions s WHERE s.learn_session_id = events.learn_session_id)
  WHERE learn_session_id IS NOT NULL;
UPDATE events SET visible_to = (SELECT owner_user_id FROM executions e WHERE e.execution_id = substr(subject, 11))
  WHERE subject GLOB 'execution/*';
UPDATE events SET visible_to = '*' WHERE subject GLOB 'device/*';

-- A boundary is an event of the stream like the others, so that the timeline and the stream have the same numbers.
UPDATE events SET stream_seq = numbered.place
  FROM (SELECT seq, row_number() OVER (PARTITION BY subject ORDER BY seq) AS place
          FROM events
         WHERE learn_session_id IS NOT NULL AND (stream_seq IS NOT NULL OR kind = 'learn.boundary.marked')) AS numbered
 WHERE events.seq = numbered.seq;
-- The logs of sessions contain the numbers and are written again.
DELETE FROM mirror_logs WHERE path GLOB 'learning/session_events/*';
