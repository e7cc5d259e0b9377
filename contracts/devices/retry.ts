import { z } from 'zod'

export const Retry = z
  .strictObject({
    maxAttempts: z.int().min(1).max(10).default(1).describe('Includes the first attempt'),
    initialDelayMs: z.number().min(0).max(30_000).default(0),
    maxDelayMs: z.number().min(0).max(60_000).optional().describe('By default initialDelayMs'),
    backoffMultiplier: z.number().min(1).max(5).default(1),
    jitterRatio: z.number().min(0).max(1).default(0),
  })
  .transform((retry) => ({ ...retry, maxDelayMs: retry.maxDelayMs ?? retry.initialDelayMs }))
  .pipe(
    z.object({
      maxAttempts: z.int(),
      initialDelayMs: z.number(),
      maxDelayMs: z.number(),
      backoffMultiplier: z.number(),
      jitterRatio: z.number(),
    }),
  )
  .refine((retry) => retry.maxDelayMs >= retry.initialDelayMs, {
    error: 'retry.maxDelayMs must not be less than retry.initialDelayMs',
    path: ['maxDelayMs'],
  })
export type Retry = z.output<typeof Retry>

export const RETRY_PRESETS = {
  UiReadiness: preset(5, 500, 3000),
  AppLaunch: preset(4, 750, 4000),
  AppClose: preset(4, 400, 2000),
  UiScroll: preset(4, 400, 2000),
  None: preset(1, 0, 0),
} as const

function preset(maxAttempts: number, initialDelayMs: number, maxDelayMs: number): Retry {
  const single = maxAttempts === 1
  return {
    maxAttempts,
    initialDelayMs,
    maxDelayMs,
    backoffMultiplier: single ? 1 : 2,
    jitterRatio: single ? 0 : 0.15,
  }
}
