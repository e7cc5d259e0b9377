import { z } from 'zod'
import { route } from '../base/route.ts'

const Part = z.object({ status: z.enum(['ok', 'degraded']), detail: z.string().optional() })
const tag = 'health'

export const getHealth = route({
  method: 'GET',
  url: '/healthz',
  tag,
  summary: 'The process lives',
  privilege: 'open',
  reply: z.object({ status: z.literal('ok'), version: z.string() }),
})

export const getReadiness = route({
  method: 'GET',
  url: '/readyz',
  tag,
  summary: 'Each part the daemon needs, ok or degraded',
  privilege: 'open',
  reply: z.object({
    status: z.enum(['ok', 'degraded']),
    store: Part,
    projections: Part,
    phone: Part,
  }),
})

export const getMetrics = route({
  method: 'GET',
  url: '/metrics',
  tag,
  summary: 'Counters and timings in Prometheus text',
  privilege: 'read',
  reply: z.string(),
  media: 'text/plain; version=0.0.4; charset=utf-8',
})
