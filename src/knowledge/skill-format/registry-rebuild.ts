import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { type EntryResult, readEntry } from './entry.ts'
import { sortById } from './indexes.ts'
import { toSlashes } from './skill-paths.ts'

/** A skill.json on disk. */
export interface FoundManifest {
  /** Its folder, relative to the root, with slashes. */
  readonly folder: string
  readonly text: string
  /** The named files that do not exist. */
  readonly missing: readonly string[]
}

export interface RebuiltRegistry {
  readonly skills: readonly SkillEntry[]
  readonly broken: readonly { readonly path: string; readonly reason: string }[]
}

/** Builds a registry from the skill folders. */
export function rebuildRegistry(manifests: readonly FoundManifest[]): RebuiltRegistry {
  const skills = new Map<string, SkillEntry>()
  const broken: { path: string; reason: string }[] = []
  for (const manifest of manifests) {
    const read = checkEntry(manifest)
    const path = `${manifest.folder}/skill.json`
    if ('reason' in read) broken.push({ path, reason: read.reason })
    else if (skills.has(read.entry.id)) {
      broken.push({ path, reason: `${skills.get(read.entry.id)?.path} already has this id` })
    } else skills.set(read.entry.id, read.entry)
  }
  return { skills: sortById([...skills.values()]), broken }
}

/** The files a skill.json names. */
export function listNamedFiles(text: string): string[] {
  const read = parseEntry(text)
  if ('reason' in read) return []
  const { skillFile, scripts, artifacts } = read.entry
  return [skillFile, ...scripts, ...artifacts].map(toSlashes)
}

function checkEntry({ folder, text, missing }: FoundManifest): EntryResult {
  const read = parseEntry(text)
  if ('reason' in read) return read
  const { path } = read.entry
  if (toSlashes(path) !== folder) return { reason: `path must be ${folder}, not ${path}` }
  return missing.length === 0 ? read : { reason: `Missing files: ${missing.join(', ')}` }
}

function parseEntry(text: string): EntryResult {
  try {
    const document: unknown = JSON.parse(text)
    return readEntry(document)
  } catch {
    return { reason: 'skill.json is not JSON' }
  }
}
