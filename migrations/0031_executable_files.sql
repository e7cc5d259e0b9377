-- 1: a script of an imported skill that its author marked as executable.
ALTER TABLE installed_files ADD COLUMN executable INTEGER;
