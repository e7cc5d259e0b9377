import { z } from 'zod'
import { ExecutionView } from '../devices/execution.ts'
import { requestBody, SchemaVersion } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { Violation } from '../recipes/violation.ts'
import { route } from '../base/route.ts'
import { SkillEntry, SkillId, SkillType } from './skill.ts'

const TAG = 'skills'
const skillParams = z.object({ skillId: SkillId })

/** A folder that contains `skills/skills-registry.json`. */
export const SkillRoot = z
  .object({
    root: z.string().describe('The folder that the paths of its registry are relative to'),
    registryPath: z.string(),
    count: z.int().min(0),
    problem: z.string().optional().describe('Why its registry could not be read'),
  })
  .meta({ id: 'SkillRoot' })
export type SkillRoot = z.infer<typeof SkillRoot>

/** A problem with one entry of a registry. Other entries are not affected. */
export const SkillProblem = z
  .object({
    root: z.string(),
    position: z.int().min(0).describe('The position of the entry in its registry'),
    skill_id: z.string().optional(),
    reason: z.string(),
    skipped: z.boolean().describe('Whether the entry is skipped'),
  })
  .meta({ id: 'SkillProblem' })
export type SkillProblem = z.infer<typeof SkillProblem>

export const listSkills = route({
  method: 'GET',
  url: '/api/skills',
  tag: TAG,
  summary: 'List the skills of all roots and the problems of their registries',
  privilege: 'read',
  query: z.object({
    page: PageQuery.shape.page,
    page_size: z.coerce.number().int().min(1).max(1000).default(1000),
  }),
  reply: z.object({
    skills: z.array(SkillEntry),
    count: z.int().min(0).describe('The number of skills on all pages'),
    ...pageFields,
    page_size: z.int().min(1).max(1000),
    roots: z.array(SkillRoot),
    problems: z.array(SkillProblem),
    schema_version: SchemaVersion,
  }),
})

const searchText = z.string().min(1).max(200)

export const searchSkills = route({
  method: 'GET',
  url: '/api/skills/search',
  tag: TAG,
  summary: 'Search skills by app, intent or keyword, best match first',
  privilege: 'read',
  query: z.object({
    app: searchText.optional().describe('The exact application id'),
    intent: searchText.optional().describe('The exact intent'),
    keyword: searchText.optional().describe('Words, case-insensitive'),
    limit: z.coerce.number().int().min(1).max(1000).default(100),
  }),
  reply: z.object({
    skills: z.array(SkillEntry),
    count: z.int().min(0).describe('The number of all matches, including those over the limit'),
    schema_version: SchemaVersion,
  }),
})

export const getSkill = route({
  method: 'GET',
  url: '/api/skills/:skillId',
  tag: TAG,
  summary: 'Get one skill',
  privilege: 'read',
  params: skillParams,
  reply: z.object({
    skill: SkillEntry,
    root: z.string(),
    registryPath: z.string(),
    type: SkillType.optional().describe('The type in its SKILL.md, if present'),
    description: z.string().optional().describe('The description in its SKILL.md'),
    schema_version: SchemaVersion,
  }),
  fails: ['SKILL_NOT_FOUND'],
})

export const compileSkillArtifact = route({
  method: 'POST',
  url: '/api/skills/by-id/:skillId/compile',
  earlier_url: '/api/skills/:skillId/compile',
  tag: TAG,
  summary: 'Compile an artifact of a skill to an execution; nothing is executed',
  privilege: 'read',
  params: skillParams,
  body: requestBody({
    artifact: z.string().min(1).max(255).describe('The name with or without `.recipe.json`'),
    vars: z.record(z.string(), z.unknown()).default({}),
  }),
  reply: z.object({
    execution: ExecutionView,
    warnings: z.array(Violation),
    unused_vars: z.array(z.string()),
    schema_version: SchemaVersion,
  }),
  fails: [
    'SKILL_NOT_FOUND',
    'ARTIFACT_NOT_FOUND',
    'COMPILE_VARS_PARSE_FAILED',
    'COMPILE_VAR_MISSING',
    'COMPILE_VALIDATION_FAILED',
    'RECIPE_INVALID',
    'RECIPE_INPUT_MISSING',
    'RECIPE_INPUT_INVALID',
  ],
})
