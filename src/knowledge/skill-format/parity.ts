import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { canonicalJson } from '../canonical-json/canonical-json.ts'
import { plainPath } from './skill-paths.ts'

type Document = Readonly<Record<string, unknown>>

const SAME = {
  id: (value: unknown) => value,
  applicationId: (value: unknown) => value,
  intent: (value: unknown) => value,
  summary: (value: unknown) => value,
  path: paths,
  skillFile: paths,
  scripts: paths,
  artifacts: (value: unknown) => paths(value ?? []),
  contract: (value: unknown) => value ?? null,
  keywords: (value: unknown) => keywords(value ?? []),
} as const

/** Fields in which a skill.json and its registry do not agree. `agent` is the skill's own affair. */
export function mismatches(entry: unknown, document: Document): string[] {
  const other: Document = isRecord(entry) ? entry : {}
  return Object.entries(SAME)
    .filter(([key, read]) => !alike(read(other[key]), read(document[key])))
    .map(([key]) => key)
}

function paths(value: unknown): unknown {
  if (typeof value === 'string') return plainPath(value)
  return Array.isArray(value) ? value.map(paths) : value
}

function keywords(value: unknown): unknown {
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string')) return value
  return [...new Set(value.map((one: string) => one.trim().toLowerCase()))].toSorted()
}

/** The order of keys says nothing, that of lists does. */
function alike(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other
  return canonicalJson(one) === canonicalJson(other)
}
