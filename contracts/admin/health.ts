import { z } from 'zod'
import { route } from '../base/route.ts'

const Part = z.object({ status: z.enum(['ok', 'degraded']), detail: z.string().optional() })
const TAG = 'health'

export const getHealth = route({
  method: 'GET',
  url: '/healthz',
  tag: TAG,
  summary: 'Liveness: the process is running',
  privilege: 'open',
  reply: z.object({ status: z.literal('ok'), version: z.string() }),
})

export const getReadiness = route({
  method: 'GET',
  url: '/readyz',
  tag: TAG,
  summary: 'Readiness: the status of each part of the daemon',
  privilege: 'open',
  reply: z.object({
    status: z.enum(['ok', 'degraded']),
    store: Part,
    projections: Part,
    phone: Part,
    event_loop: Part.extend({
      delay_ms: z.int().min(0).describe('The longest delay of the event loop in the last seconds'),
    }),
  }),
})

export const getMetrics = route({
  method: 'GET',
  url: '/metrics',
  tag: TAG,
  summary: 'Counters and timings in the Prometheus text format',
  privilege: 'read',
  reply: z.string(),
  media: 'text/plain; version=0.0.4; charset=utf-8',
})
