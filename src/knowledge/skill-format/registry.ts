import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { SkillProblem } from '@apprentice/contracts/skills/registry.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { listSchemaDeviations, readEntry } from './entry.ts'

/** A raw entry, and its parsed form if it is valid. */
export interface RegistryEntry {
  readonly raw: unknown
  readonly entry?: SkillEntry
}

export interface Registry {
  readonly listed: readonly RegistryEntry[]
  readonly problems: readonly Omit<SkillProblem, 'root'>[]
}

/** Parses a registry. Invalid entries become problems; only a file without a list of skills is rejected. */
export function readRegistry(text: string): Registry | { readonly problem: string } {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return { problem: 'The registry is not JSON.' }
  }
  const skills = isRecord(document) ? document['skills'] : undefined
  if (!Array.isArray(skills)) return { problem: 'The registry has no list of skills.' }
  const listed: RegistryEntry[] = []
  const problems: Omit<SkillProblem, 'root'>[] = []
  const seen = new Set<string>()
  for (const [position, raw] of skills.entries()) {
    const read = readEntry(raw)
    const skill_id = readId(raw)
    const report = (reason: string, skipped: boolean) =>
      problems.push({ position, ...(skill_id === undefined ? {} : { skill_id }), reason, skipped })
    if ('reason' in read) {
      report(read.reason, true)
      listed.push({ raw })
    } else if (seen.has(read.entry.id)) {
      report('The registry already contains this id', true)
    } else {
      seen.add(read.entry.id)
      listed.push({ raw, entry: read.entry })
      const deviations = listSchemaDeviations(read.entry)
      if (deviations.length > 0) report(`Deviates from the registry schema: ${deviations.join(', ')}`, false)
    }
  }
  return { listed, problems }
}

export const readId = (raw: unknown): string | undefined =>
  isRecord(raw) && typeof raw['id'] === 'string' ? raw['id'].slice(0, 200) : undefined
