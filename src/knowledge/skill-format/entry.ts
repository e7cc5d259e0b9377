import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { ENTRY_KEYS, SKILL_ID, type SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { isSafePath } from './skill-paths.ts'

const TEXTS = ['id', 'applicationId', 'intent', 'summary', 'path', 'skillFile'] as const
const LISTS = ['scripts', 'artifacts', 'keywords'] as const

export type ReadEntry = { readonly entry: SkillEntry } | { readonly reason: string }

/** What a registry says of a skill, if it says enough to work with. */
export function readEntry(raw: unknown): ReadEntry {
  if (!isRecord(raw)) return { reason: 'The entry is no object' }
  const lacking = TEXTS.filter((key) => typeof raw[key] !== 'string' || raw[key] === '')
  if (lacking.length > 0) return { reason: `Not a text, or empty: ${lacking.join(', ')}` }
  const odd = LISTS.find((key) => raw[key] !== undefined && !isTexts(raw[key]))
  if (odd !== undefined || raw['scripts'] === undefined) {
    return { reason: `Not a list of texts: ${odd ?? 'scripts'}` }
  }
  // Every field the type asks for has been looked at; a registry is too long for a schema.
  const entry = known({ ...raw, artifacts: raw['artifacts'] ?? [] }) as unknown as SkillEntry
  const { id, path, skillFile, scripts, artifacts, applicationId } = entry
  if (!SKILL_ID.test(id)) return { reason: 'The id holds more than letters, digits and . _ -' }
  // It becomes the name of a file.
  if (!/^[a-zA-Z0-9._-]{1,200}$/.test(applicationId) || applicationId.includes('..')) {
    return { reason: 'applicationId is none' }
  }
  const outside = [path, skillFile, ...scripts, ...artifacts].find((one) => !isSafePath(one))
  if (outside !== undefined) return { reason: `Not a path below the root: ${outside}` }
  return { entry }
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** The fields registries have, in their order; others are nobody's. */
export function known(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const key of ENTRY_KEYS) {
    if (raw[key] !== undefined) found[key] = raw[key]
  }
  return found
}

const name = '[a-zA-Z0-9._-]+'
const patterns = {
  id: new RegExp(`^${name}$`),
  applicationId: /^[a-zA-Z0-9._]+$/,
  intent: /^[a-z0-9-]+$/,
  path: new RegExp(`^skills/${name}$`),
  skillFile: new RegExp(`^skills/${name}/SKILL\\.md$`),
} as const
const listed = {
  scripts: new RegExp(`^skills/${name}/scripts/${name}\\.(sh|js)$`),
  artifacts: new RegExp(`^skills/${name}/artifacts/${name}\\.(recipe\\.json|md|json)$`),
} as const

/** Fields that do not look as the published schema of registries wants them. The skill works all the same. */
export function offSchema(entry: SkillEntry): string[] {
  const texts = Object.entries(patterns)
    .filter(([key, pattern]) => !pattern.test(entry[key as keyof typeof patterns]))
    .map(([key]) => key)
  const lists = Object.entries(listed).flatMap(([key, pattern]) =>
    entry[key as keyof typeof listed].flatMap((path, at) =>
      pattern.test(path) ? [] : [`${key}[${at}]`],
    ),
  )
  const unscripted = entry.scripts.length === 0 ? ['scripts'] : []
  return [...texts, ...lists, ...unscripted, ...offKeywords(entry)]
}

function offKeywords({ keywords }: SkillEntry): string[] {
  if (keywords === undefined) return []
  const fit = keywords.length > 0 && !keywords.includes('')
  return fit && new Set(keywords).size === keywords.length ? [] : ['keywords']
}
