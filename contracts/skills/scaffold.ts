import { z } from 'zod'
import { requestBody, SchemaVersion } from '../base/fields.ts'
import { route } from '../base/route.ts'

const MAX_CONTEXT_LENGTH = 24 * 1024 * 1024

export const createSkill = route({
  method: 'POST',
  url: '/api/skills',
  tag: 'skills',
  summary: 'Create the folder of a new skill and register it',
  privilege: 'write',
  body: requestBody({
    skill_id: z.string().max(400).describe('`<application id>.<intent>`'),
    summary: z.string().max(2000).optional(),
    recording_context: z
      .string()
      .max(MAX_CONTEXT_LENGTH)
      .optional()
      .describe('The text of a recording export; stored unchanged, never executed'),
    root: z.string().max(4096).optional().describe('One of the roots; by default the first'),
  }),
  body_limit: 32 * 1024 * 1024,
  reply: z.object({
    created: z.literal(true),
    skillId: z.string(),
    registryPath: z.string(),
    skillPath: z.string(),
    files: z.array(z.string()),
    next: z.string().describe('The next step for the author'),
    recordingContextPath: z.string().optional(),
    schema_version: SchemaVersion,
  }),
  status: 201,
  fails: ['SKILL_ID_INVALID', 'REGISTRY_READ_FAILED', 'SKILL_ALREADY_EXISTS', 'SKILLS_SCAFFOLD_FAILED'],
})
