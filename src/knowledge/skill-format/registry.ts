import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { SkillProblem } from '@apprentice/contracts/skills/registry.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { offSchema, readEntry } from './entry.ts'

/** An entry as it is written, and what could be read of it. */
export interface Listed {
  readonly raw: unknown
  readonly entry?: SkillEntry
}

export interface Registry {
  readonly listed: readonly Listed[]
  readonly problems: readonly Omit<SkillProblem, 'root'>[]
}

/** Reads a registry. What is broken in it is told and left out; only a file without a list is refused. */
export function readRegistry(text: string): Registry | { readonly problem: string } {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return { problem: 'The registry is not JSON.' }
  }
  const skills = isRecord(document) ? document['skills'] : undefined
  if (!Array.isArray(skills)) return { problem: 'The registry has no list of skills.' }
  const listed: Listed[] = []
  const problems: Omit<SkillProblem, 'root'>[] = []
  const seen = new Set<string>()
  for (const [position, raw] of skills.entries()) {
    const read = readEntry(raw)
    const skill_id = idOf(raw)
    const tell = (reason: string, skipped: boolean) =>
      problems.push({ position, ...(skill_id === undefined ? {} : { skill_id }), reason, skipped })
    if ('reason' in read) {
      tell(read.reason, true)
      listed.push({ raw })
    } else if (seen.has(read.entry.id)) {
      tell('The registry has this id already', true)
    } else {
      seen.add(read.entry.id)
      listed.push({ raw, entry: read.entry })
      const off = offSchema(read.entry)
      if (off.length > 0) tell(`Not as the schema of registries wants it: ${off.join(', ')}`, false)
    }
  }
  return { listed, problems }
}

export const idOf = (raw: unknown): string | undefined =>
  isRecord(raw) && typeof raw['id'] === 'string' ? raw['id'].slice(0, 200) : undefined
