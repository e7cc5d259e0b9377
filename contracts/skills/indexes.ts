import { z } from 'zod'
import { text } from '../base/fields.ts'
import { route } from '../base/route.ts'

const TAG = 'skills'
const query = z.object({
  root: text(4096).optional().describe('One of the roots; by default the first'),
})
const resource = {
  method: 'GET',
  tag: TAG,
  privilege: 'read',
  query,
  reply: z.unknown(),
  media: 'application/json',
  fails: ['NOT_FOUND', 'REGISTRY_READ_FAILED'],
} as const

export const getSkillIndex = route({
  ...resource,
  url: '/api/skills/indexes/:indexFile',
  summary: 'Get a generated index of the skills, with its SHA-256 as ETag',
  params: z.object({ indexFile: z.enum(['manifest.json', 'skills-index.min.json', 'skills-index.jsonl']) }),
})

export const getAppIndex = route({
  ...resource,
  url: '/api/skills/indexes/by-app/:applicationId',
  summary: 'Get the generated index of the skills of one app, with its SHA-256 as ETag',
  params: z.object({
    applicationId: z
      .string()
      .regex(/^[A-Za-z0-9_]+(\.[A-Za-z0-9_-]+)*$/)
      .max(255),
  }),
})

export const getPrefixIndex = route({
  ...resource,
  url: '/api/skills/indexes/by-prefix/:prefix',
  summary: 'Get the generated index of the skills whose hashed id starts with two digits, with its SHA-256 as ETag',
  params: z.object({ prefix: z.string().regex(/^[0-9a-f]{2}$/) }),
})
