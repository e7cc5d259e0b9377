-- Every index of a row that changes is a page that the commit writes. The daemon keeps waiting jobs in memory, finds open
-- executions by their jobs, and lists the executions of an owner only.
DROP INDEX jobs_waiting;
DROP INDEX executions_open;
DROP INDEX executions_by_device;
DROP INDEX executions_by_owner;
CREATE INDEX executions_by_owner ON executions (owner_user_id, queued_at, serial);
