/** Files of a draft that only an imported skill has: the header as it is read here, and what else was brought. */
export const normalisedName = 'SKILL.normalized.md'
export const stagedFilesName = 'staged-files.json'
