import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { SKILL_ID, type SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { isSafePath } from './skill-paths.ts'

const TEXT_FIELDS = ['id', 'applicationId', 'intent', 'summary', 'path', 'skillFile'] as const
const LIST_FIELDS = ['scripts', 'artifacts', 'keywords'] as const

export type EntryResult = { readonly entry: SkillEntry } | { readonly reason: string }

/** Validates an entry of a registry. */
export function readEntry(raw: unknown): EntryResult {
  if (!isRecord(raw)) return { reason: 'The entry must be an object' }
  const missing = TEXT_FIELDS.filter((key) => typeof raw[key] !== 'string' || raw[key] === '')
  if (missing.length > 0) return { reason: `Must be non-empty strings: ${missing.join(', ')}` }
  const invalidList = LIST_FIELDS.find((key) => raw[key] !== undefined && !isStringList(raw[key]))
  if (invalidList !== undefined || raw['scripts'] === undefined) {
    return { reason: `Must be a list of strings: ${invalidList ?? 'scripts'}` }
  }
  // All fields of the type are checked above; a schema would be too slow for a large registry.
  // Fields of others and the order of fields stay, because indexes repeat them.
  const entry = { ...raw, artifacts: raw['artifacts'] ?? [] } as unknown as SkillEntry
  const { id, path, skillFile, scripts, artifacts, applicationId } = entry
  if (!SKILL_ID.test(id)) return { reason: 'id may contain only letters, digits and . _ -' }
  // It becomes a file name.
  if (!/^[a-zA-Z0-9._-]{1,200}$/.test(applicationId) || applicationId.includes('..')) {
    return { reason: 'applicationId is not valid' }
  }
  const outside = [path, skillFile, ...scripts, ...artifacts].find((one) => !isSafePath(one))
  if (outside !== undefined) return { reason: `The path is outside the root: ${outside}` }
  return { entry }
}

const isStringList = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string')

const NAME_PATTERN = '[a-zA-Z0-9._-]+'
const FIELD_PATTERNS = {
  id: new RegExp(`^${NAME_PATTERN}$`),
  applicationId: /^[a-zA-Z0-9._]+$/,
  intent: /^[a-z0-9-]+$/,
  path: new RegExp(`^skills/${NAME_PATTERN}$`),
  skillFile: new RegExp(`^skills/${NAME_PATTERN}/SKILL\\.md$`),
} as const
const LIST_PATTERNS = {
  scripts: new RegExp(`^skills/${NAME_PATTERN}/scripts/${NAME_PATTERN}\\.(sh|js)$`),
  artifacts: new RegExp(`^skills/${NAME_PATTERN}/artifacts/${NAME_PATTERN}\\.(recipe\\.json|md|json)$`),
} as const

/** Fields that deviate from the published registry schema. Such a skill still works. */
export function listSchemaDeviations(entry: SkillEntry): string[] {
  const texts = Object.entries(FIELD_PATTERNS)
    .filter(([key, pattern]) => !pattern.test(entry[key as keyof typeof FIELD_PATTERNS]))
    .map(([key]) => key)
  const lists = Object.entries(LIST_PATTERNS).flatMap(([key, pattern]) =>
    entry[key as keyof typeof LIST_PATTERNS].flatMap((path, at) => (pattern.test(path) ? [] : [`${key}[${at}]`])),
  )
  const scripts = entry.scripts.length === 0 ? ['scripts'] : []
  return [...texts, ...lists, ...scripts, ...checkKeywords(entry)]
}

function checkKeywords({ keywords }: SkillEntry): string[] {
  if (keywords === undefined) return []
  const isValid = keywords.length > 0 && !keywords.includes('')
  return isValid && new Set(keywords).size === keywords.length ? [] : ['keywords']
}
