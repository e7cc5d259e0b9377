import { z } from 'zod'

/** The maximum length of a new id: the default payload uses the id as its `source`. */
export const MAX_SKILL_ID = 64

export const SKILL_ID = /^[a-zA-Z0-9._-]{1,128}$/

/** The id of a registered skill. */
export const SkillId = z.string().regex(SKILL_ID)

export const SkillType = z
  .enum(['replay', 'orchestrated', 'script'])
  .describe('replay: recorded steps; orchestrated: executed by an agent; script: an earlier form of one existing skill')
export type SkillType = z.infer<typeof SkillType>

/** The only skill that may have the type script. */
export const SCRIPT_SKILL = 'au.com.polyaire.airtouch5.set-zone-state'

/** The agent program of an orchestrated skill. */
export const SkillAgent = z
  .object({
    cli: z.string(),
    cliPath: z.string().nullable().optional(),
    timeoutMs: z.int().min(1).optional(),
  })
  .meta({ id: 'SkillAgent' })
export type SkillAgent = z.infer<typeof SkillAgent>

/** The contract of a skill: its inputs, its goal and its verification. */
export const SkillContract = z
  .object({
    inputs: z.record(z.string(), z.string()),
    goal: z.record(z.string(), z.unknown()).nullable(),
    verification: z.object({ kind: z.string(), matcher: z.string() }).nullable(),
  })
  .meta({ id: 'SkillContract' })
export type SkillContract = z.infer<typeof SkillContract>

/**
 * A skill in a registry. The fields are spelled as in the registry files, which other programs read and write too.
 * `contract` and `agent` are unchecked; only validation checks them.
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

export const INPUT_NAME = /^[A-Za-z0-9_]+$/
