import { z } from 'zod'
import { requestBody, SchemaVersion } from '../base/fields.ts'
import { route } from '../base/route.ts'

/** Room for the longest demonstration. */
const CONTEXT_CHARACTERS = 24 * 1024 * 1024

export const createSkill = route({
  method: 'POST',
  url: '/api/skills',
  tag: 'skills',
  summary: 'Make the folder of a new skill and put it into the registry',
  privilege: 'write',
  body: requestBody({
    skill_id: z.string().max(400).describe('`<application id>.<intent>`'),
    summary: z.string().max(2000).optional(),
    recording_context: z
      .string()
      .max(CONTEXT_CHARACTERS)
      .optional()
      .describe('The text of a recording export; kept as it is, never run'),
    root: z.string().max(4096).optional().describe('One of the roots; the first when absent'),
  }),
  body_limit: 32 * 1024 * 1024,
  reply: z.object({
    created: z.literal(true),
    skillId: z.string(),
    registryPath: z.string(),
    skillPath: z.string(),
    files: z.array(z.string()),
    next: z.string().describe('What to do with it'),
    recordingContextPath: z.string().optional(),
    schema_version: SchemaVersion,
  }),
  status: 201,
  fails: [
    'SKILL_ID_INVALID',
    'REGISTRY_READ_FAILED',
    'SKILL_ALREADY_EXISTS',
    'SKILLS_SCAFFOLD_FAILED',
  ],
})
