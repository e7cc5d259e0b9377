import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { canonicalJson } from '../canonical-json/canonical-json.ts'
import { indexFiles, REGISTRY_FILE, sha256 } from './indexes.ts'

const STALE = 'Generated skill indexes are stale.'

/**
 * Why the indexes do not fit the registry, if they do not. `found` has the files below `skills/` by path. When
 * they were made says nothing; what they hold does.
 */
export function staleIndexes(
  skills: readonly SkillEntry[],
  registry: string,
  found: ReadonlyMap<string, string>,
): string | undefined {
  const expected = indexFiles(skills, registry, '')
  for (const { path, content } of expected) {
    const own = found.get(path)
    if (own === undefined) return `${STALE} ${path} is missing.`
    if (!alike(path, own, content)) return `${STALE} ${path} does not fit the registry.`
  }
  const wanted = new Set(expected.map(({ path }) => path))
  const left = [...found.keys()].find((path) => !wanted.has(path))
  if (left !== undefined) return `${STALE} ${left} belongs to no skill.`
  return wrongHash(new Map([...found, [REGISTRY_FILE, registry]]))
}

function alike(path: string, own: string, expected: string): boolean {
  if (path.endsWith('.jsonl')) return own === expected
  try {
    return comparable(JSON.parse(own)) === comparable(JSON.parse(expected))
  } catch {
    return false
  }
}

const comparable = (value: unknown): string => canonicalJson(timeless(value))

function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'generatedAt' && key !== 'sha256')
      .map(([key, inner]) => [key, timeless(inner)]),
  )
}

/** Every hash of the manifest must be that of the file as it is. */
function wrongHash(found: ReadonlyMap<string, string>): string | undefined {
  const manifest: unknown = JSON.parse(found.get('generated/manifest.json') ?? '{}')
  for (const { file, hash } of hashesIn(manifest)) {
    if (sha256(found.get(file) ?? '') !== hash) {
      return `${STALE} ${file} is not the file the manifest names.`
    }
  }
  return undefined
}

function hashesIn(value: unknown): { file: string; hash: unknown }[] {
  if (Array.isArray(value)) return value.flatMap(hashesIn)
  if (!isRecord(value)) return []
  const { file, sha256: hash } = value
  const own = typeof file === 'string' ? [{ file, hash }] : []
  return [...own, ...Object.values(value).flatMap(hashesIn)]
}
