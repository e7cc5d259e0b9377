import { z } from 'zod'

/** The longest id there may be: a skill's default payload names the skill as its source. */
export const MAX_SKILL_ID = 64

export const SKILL_ID = /^[a-zA-Z0-9._-]{1,128}$/

/** The id of a skill that is on record, whoever made it. */
export const SkillId = z.string().regex(SKILL_ID)

export const SkillType = z
  .enum(['replay', 'orchestrated', 'script'])
  .describe('Recorded steps; a program for an agent; and an older form one skill still has')
export type SkillType = z.infer<typeof SkillType>

/** The only skill that may call itself a script. */
export const SCRIPT_SKILL = 'au.com.polyaire.airtouch5.set-zone-state'

/** Which program leads a skill that an agent carries out. */
export const SkillAgent = z
  .object({
    cli: z.string(),
    cliPath: z.string().nullable().optional(),
    timeoutMs: z.int().min(1).optional(),
  })
  .meta({ id: 'SkillAgent' })
export type SkillAgent = z.infer<typeof SkillAgent>

/** What a skill promises: its inputs, what it is for, and how one sees that it was done. */
export const SkillContract = z
  .object({
    inputs: z.record(z.string(), z.string()),
    goal: z.record(z.string(), z.unknown()).nullable(),
    verification: z.object({ kind: z.string(), matcher: z.string() }).nullable(),
  })
  .meta({ id: 'SkillContract' })
export type SkillContract = z.infer<typeof SkillContract>

/**
 * A skill as registries list it. The fields are spelled as in the files they come from, which other programs
 * read and write as well. `contract` and `agent` are what the file says, checked only by validation.
 */
export const SkillEntry = z
  .object({
    id: SkillId,
    applicationId: z.string(),
    intent: z.string(),
    summary: z.string(),
    keywords: z.array(z.string()).optional(),
    path: z.string(),
    skillFile: z.string(),
    scripts: z.array(z.string()),
    artifacts: z.array(z.string()),
    contract: z.unknown().optional(),
    agent: z.unknown().optional(),
  })
  .meta({ id: 'SkillEntry' })
export type SkillEntry = z.infer<typeof SkillEntry>

/** The fields of a registry entry, in the order files have them. */
export const ENTRY_KEYS = [
  'id',
  'applicationId',
  'intent',
  'summary',
  'keywords',
  'path',
  'skillFile',
  'scripts',
  'artifacts',
  'contract',
  'agent',
] as const satisfies readonly (keyof SkillEntry)[]

export const INPUT_NAME = /^[A-Za-z0-9_]+$/
