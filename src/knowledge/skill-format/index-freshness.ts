import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { canonicalJson } from '../canonical-json/canonical-json.ts'
import { buildIndexFiles, REGISTRY_FILE, sha256, SKILLS_FOLDER } from './indexes.ts'

const STALE_MESSAGE = 'Generated skill indexes are stale.'

/**
 * Describes the first index file that does not match the registry. `found` contains the files below `skills/` by
 * path. Timestamps are ignored.
 */
export function findStaleIndex(
  skills: readonly SkillEntry[],
  registry: string,
  found: ReadonlyMap<string, string>,
): string | undefined {
  const expected = buildIndexFiles(skills, registry, '')
  for (const { path, content } of expected) {
    const actual = found.get(path)
    if (actual === undefined) return `${STALE_MESSAGE} ${path} is missing.`
    if (!isEquivalent(path, actual, content)) {
      return `${STALE_MESSAGE} ${path} does not match the registry.`
    }
  }
  const expectedPaths = new Set(expected.map(({ path }) => path))
  const extra = [...found.keys()].find((path) => !expectedPaths.has(path))
  if (extra !== undefined) return `${STALE_MESSAGE} ${extra} belongs to no skill.`
  return findWrongHash(new Map([...found, [REGISTRY_FILE, registry]]))
}

function isEquivalent(path: string, own: string, expected: string): boolean {
  if (path.endsWith('.jsonl')) return own === expected
  try {
    return toComparable(JSON.parse(own)) === toComparable(JSON.parse(expected))
  } catch {
    return false
  }
}

const toComparable = (value: unknown): string => canonicalJson(removeVolatile(value))

function removeVolatile(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeVolatile)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'generatedAt' && key !== 'sha256')
      .map(([key, inner]) => [key, removeVolatile(inner)]),
  )
}

/** Compares the hashes in the manifest with the files. */
function findWrongHash(found: ReadonlyMap<string, string>): string | undefined {
  const manifest: unknown = JSON.parse(found.get('generated/manifest.json') ?? '{}')
  for (const { file, hash } of listHashes(manifest)) {
    const path = file.startsWith(SKILLS_FOLDER) ? file.slice(SKILLS_FOLDER.length) : file
    if (sha256(found.get(path) ?? '') !== hash) {
      return `${STALE_MESSAGE} The hash of ${file} does not match the manifest.`
    }
  }
  return undefined
}

function listHashes(value: unknown): { file: string; hash: unknown }[] {
  if (Array.isArray(value)) return value.flatMap(listHashes)
  if (!isRecord(value)) return []
  const { file, sha256: hash } = value
  const own = typeof file === 'string' ? [{ file, hash }] : []
  return [...own, ...Object.values(value).flatMap(listHashes)]
}
