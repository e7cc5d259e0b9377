import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { canonicalJson } from '../canonical-json/canonical-json.ts'
import { toSlashes } from './skill-paths.ts'

type Document = Readonly<Record<string, unknown>>

const COMPARED_FIELDS = {
  id: (value: unknown) => value,
  applicationId: (value: unknown) => value,
  intent: (value: unknown) => value,
  summary: (value: unknown) => value,
  path: normalizePaths,
  skillFile: normalizePaths,
  scripts: normalizePaths,
  artifacts: (value: unknown) => normalizePaths(value ?? []),
  contract: (value: unknown) => value ?? null,
  keywords: (value: unknown) => normalizeKeywords(value ?? []),
} as const

/** Fields that differ between a skill.json and its registry entry. `agent` is only in skill.json. */
export function listMismatches(entry: unknown, document: Document): string[] {
  const other: Document = isRecord(entry) ? entry : {}
  return Object.entries(COMPARED_FIELDS)
    .filter(([key, read]) => !isEqual(read(other[key]), read(document[key])))
    .map(([key]) => key)
}

function normalizePaths(value: unknown): unknown {
  if (typeof value === 'string') return toSlashes(value)
  return Array.isArray(value) ? value.map(normalizePaths) : value
}

function normalizeKeywords(value: unknown): unknown {
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string')) return value
  return [...new Set(value.map((one: string) => one.trim().toLowerCase()))].toSorted()
}

/** Ignores the order of keys, but not of lists. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other
  return canonicalJson(one) === canonicalJson(other)
}
