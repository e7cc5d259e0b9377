/**
 * The sources of executions by which the daemon looks at apps and tests drafts: health checks, rehearsals, verifications,
 * practice and tests of skills. Their command ids start with the source. They are no work of a user to learn from.
 */
export const OWN_SOURCES: readonly string[] = [
  'probe',
  'rehearsal',
  'canary',
  'practice',
  'validation',
  'verification',
  'skill_test',
]
