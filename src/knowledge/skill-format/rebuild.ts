import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { known, type ReadEntry, readEntry } from './entry.ts'
import { byId } from './indexes.ts'
import { plainPath } from './skill-paths.ts'

/** A skill.json as it was found. */
export interface FoundManifest {
  /** The folder it is in, as registries write it. */
  readonly folder: string
  readonly text: string
  /** Those of the files it names that are not there. */
  readonly missing: readonly string[]
}

export interface Rebuilt {
  readonly skills: readonly SkillEntry[]
  readonly broken: readonly { readonly path: string; readonly reason: string }[]
}

/** The registry the folders themselves make. */
export function rebuildRegistry(manifests: readonly FoundManifest[]): Rebuilt {
  const skills = new Map<string, SkillEntry>()
  const broken: { path: string; reason: string }[] = []
  for (const manifest of manifests) {
    const read = entryOf(manifest)
    const path = `${manifest.folder}/skill.json`
    if ('reason' in read) broken.push({ path, reason: read.reason })
    else if (skills.has(read.entry.id)) {
      broken.push({ path, reason: `${skills.get(read.entry.id)?.path} has this id already` })
    } else skills.set(read.entry.id, read.entry)
  }
  return { skills: byId([...skills.values()]), broken }
}

/** The files a skill.json names. */
export function filesNamedBy(text: string): string[] {
  const read = parse(text)
  if ('reason' in read) return []
  const { skillFile, scripts, artifacts } = read.entry
  return [skillFile, ...scripts, ...artifacts].map(plainPath)
}

function entryOf({ folder, text, missing }: FoundManifest): ReadEntry {
  const read = parse(text)
  if ('reason' in read) return read
  const { path } = read.entry
  if (plainPath(path) !== folder) return { reason: `It says its path is ${path}` }
  return missing.length === 0 ? read : { reason: `Not there: ${missing.join(', ')}` }
}

function parse(text: string): ReadEntry {
  try {
    const document: unknown = JSON.parse(text)
    return readEntry(isRecord(document) ? known(document) : document)
  } catch {
    return { reason: 'skill.json is not JSON' }
  }
}
