import { z } from 'zod'
import { requestBody, SchemaVersion } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { SkillEntry, SkillId } from './skill.ts'

const TAG = 'skills'

/** The id in the failure for a root with outdated indexes. */
export const INDEXES_ID = '<generated-indexes>'

export const NO_ARTIFACTS = 'skill has no pre-compiled artifacts; payload is generated at runtime by the skill script'

const validateOptions = {
  dry_run: z.boolean().default(false).describe('Also validate the payload of every artifact'),
}

/** The paths of the checked files. */
export const SkillChecks = z.object({
  skillJsonPath: z.string(),
  skillFilePath: z.string(),
  scriptPaths: z.array(z.string()),
  artifactPaths: z.array(z.string()),
})
export type SkillChecks = z.infer<typeof SkillChecks>

export const validateSkill = route({
  method: 'POST',
  url: '/api/skills/by-id/:skillId/validate',
  earlier_url: '/api/skills/:skillId/validate',
  tag: TAG,
  summary: 'Validate that a skill is complete and consistent',
  privilege: 'read',
  params: z.object({ skillId: SkillId }),
  body: requestBody(validateOptions),
  reply: z.object({
    valid: z.literal(true),
    skill: SkillEntry,
    registryPath: z.string(),
    checks: SkillChecks,
    dryRun: z.object({ payloadValidation: z.literal('skipped'), reason: z.string() }).optional(),
    schema_version: SchemaVersion,
  }),
  fails: ['SKILL_NOT_FOUND', 'SKILL_VALIDATION_FAILED'],
})

export const validateSkills = route({
  method: 'POST',
  url: '/api/skills/validate',
  tag: TAG,
  summary: 'Validate all skills and their indexes',
  privilege: 'read',
  body: requestBody({
    ...validateOptions,
    root: z.string().max(4096).optional().describe('One of the roots; by default all'),
  }),
  reply: z.object({
    valid: z.literal(true),
    totalSkills: z.int().min(0),
    registryPath: z.string().describe('The registry of the first root'),
    registryPaths: z.array(z.string()),
    validSkills: z.array(z.string()),
    unregistered: z.array(z.string()).describe('Folders with a skill.json that no registry lists; not a failure'),
    schema_version: SchemaVersion,
  }),
  fails: ['REGISTRY_READ_FAILED', 'SKILL_VALIDATION_FAILED'],
})

/** One invalid skill in `details.failures` of a validation of all skills. */
export const SkillFailure = z.object({
  skillId: z.string(),
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
})
export type SkillFailure = z.infer<typeof SkillFailure>

const IndexRoot = z.object({
  root: z.string(),
  fresh: z.boolean(),
  reason: z.string().optional().describe('Why the indexes are outdated'),
})

export const checkSkillIndexes = route({
  method: 'GET',
  url: '/api/skills/indexes',
  tag: TAG,
  summary: 'Check whether the generated indexes of each root match its registry',
  privilege: 'read',
  reply: z.object({ roots: z.array(IndexRoot), schema_version: SchemaVersion }),
})

export const writeSkillIndexes = route({
  method: 'POST',
  url: '/api/skills/indexes',
  tag: TAG,
  summary: 'Regenerate the registry and its indexes from the skill.json of every folder',
  privilege: 'write',
  body: requestBody({
    root: z.string().max(4096).optional().describe('One of the roots; by default the first'),
    skip_broken: z.boolean().default(false).describe('Skip invalid skills instead of refusing; `skipped` lists them'),
  }),
  reply: z.object({
    root: z.string(),
    registryPath: z.string(),
    totalSkills: z.int().min(0),
    files: z.array(z.string()),
    skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
    schema_version: SchemaVersion,
  }),
  fails: ['REGISTRY_READ_FAILED', 'SKILL_VALIDATION_FAILED'],
})
