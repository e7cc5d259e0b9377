/** Draft files that only imported skills have: SKILL.md with a normalized header, and the list of unpacked files. */
export const NORMALIZED_FILE = 'SKILL.normalized.md'
export const STAGED_FILES_FILE = 'staged-files.json'
