import { z } from 'zod'
import { ExecutionView } from '../devices/execution.ts'
import { requestBody, SchemaVersion } from '../base/fields.ts'
import { PageQuery, pageMarks } from '../base/page.ts'
import { Violation } from '../recipes/violation.ts'
import { route } from '../base/route.ts'
import { SkillEntry, SkillId, SkillType } from './skill.ts'

const TAG = 'skills'
const one = z.object({ skillId: SkillId })

/** A folder with `skills/skills-registry.json` in it. */
export const SkillRoot = z
  .object({
    root: z.string().describe('The folder all paths of its registry begin at'),
    registryPath: z.string(),
    count: z.int().min(0),
    problem: z.string().optional().describe('Why its registry could not be read'),
  })
  .meta({ id: 'SkillRoot' })
export type SkillRoot = z.infer<typeof SkillRoot>

/** Something wrong with an entry of a registry. It keeps nobody from using the others. */
export const SkillProblem = z
  .object({
    root: z.string(),
    position: z.int().min(0).describe('Of the entry in its registry'),
    skill_id: z.string().optional(),
    reason: z.string(),
    skipped: z.boolean().describe('Whether the entry is left out'),
  })
  .meta({ id: 'SkillProblem' })
export type SkillProblem = z.infer<typeof SkillProblem>

export const listSkills = route({
  method: 'GET',
  url: '/api/skills',
  tag: TAG,
  summary: 'Every skill of every root, and what is wrong with the registries',
  privilege: 'read',
  query: z.object({
    page: PageQuery.shape.page,
    page_size: z.coerce.number().int().min(1).max(1000).default(1000),
  }),
  reply: z.object({
    skills: z.array(SkillEntry),
    count: z.int().min(0).describe('Of all pages'),
    ...pageMarks,
    page_size: z.int().min(1).max(1000),
    roots: z.array(SkillRoot),
    problems: z.array(SkillProblem),
    schema_version: SchemaVersion,
  }),
})

const word = z.string().min(1).max(200)

export const searchSkills = route({
  method: 'GET',
  url: '/api/skills/search',
  tag: TAG,
  summary: 'Skills of an app, with an intent, or that fit a keyword; the best fit first',
  privilege: 'read',
  query: z.object({
    app: word.optional().describe('The whole application id'),
    intent: word.optional().describe('The whole intent'),
    keyword: word.optional().describe('Words, in any case'),
    limit: z.coerce.number().int().min(1).max(1000).default(100),
  }),
  reply: z.object({
    skills: z.array(SkillEntry),
    count: z.int().min(0).describe('All that fit, also those over the limit'),
    schema_version: SchemaVersion,
  }),
})

export const getSkill = route({
  method: 'GET',
  url: '/api/skills/:skillId',
  tag: TAG,
  summary: 'One skill',
  privilege: 'read',
  params: one,
  reply: z.object({
    skill: SkillEntry,
    root: z.string(),
    registryPath: z.string(),
    type: SkillType.optional().describe('As its SKILL.md says; absent if it does not'),
    description: z.string().optional().describe('As its SKILL.md says'),
    schema_version: SchemaVersion,
  }),
  fails: ['SKILL_NOT_FOUND'],
})

export const compileSkillArtifact = route({
  method: 'POST',
  url: '/api/skills/:skillId/compile',
  tag: TAG,
  summary: 'The execution an artifact of a skill stands for; nothing is run',
  privilege: 'read',
  params: one,
  body: requestBody({
    artifact: z.string().min(1).max(255).describe('Its name, with or without `.recipe.json`'),
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
